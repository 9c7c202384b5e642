// Searches and evaluators over one batcher, and searches of several threads each, for the thread sanitizer: built and
// run by test_threads.py.
#include <cstdio>
#include <thread>

#include "games/connect4.hpp"
#include "games/tictactoe.hpp"
#include "games/uttt/uttt.hpp"
#include "learn/selfplay.hpp"
#include "search/mcts.hpp"

using namespace fiedler;

namespace {

constexpr std::size_t planes = PuctTree<Uttt>::planes_size, rows = 8;

// Answers every row with a value that depends on its stones, until the batcher is closed or `batches` are done.
void evaluate(Batcher& batcher, int batches) {
    std::vector<float> input(rows * planes), policy(rows * Uttt::actions), values(rows);
    while (const std::uint64_t ticket = batcher.collect(input.data())) {
        if (batches-- == 0) return batcher.close("the network failed");
        for (std::size_t row = 0; row < rows; ++row) {
            float sum = 0;
            for (std::size_t i = 0; i < 2 * 81; ++i) sum += input[row * planes + i] * static_cast<float>(i % 7);
            values[row] = std::sin(sum);
        }
        const float* const outputs[] = {policy.data(), values.data()};
        batcher.answer(ticket, outputs, rows);
    }
}

// Four searches and self-play at once over two evaluators that fail after `batches`; returns the number of failed
// searches.
int run(int batches) {
    auto batcher = std::make_shared<Batcher>(planes, Heads{{"policy", Uttt::actions}, {"value", 1}}, rows);
    std::atomic<int> failures = 0;
    std::vector<std::jthread> evaluators, searches;
    for (int i = 0; i < 2; ++i) evaluators.emplace_back([&] { evaluate(*batcher, batches); });
    const auto guarded = [&](auto work) {
        try {
            work();
        } catch (const EvaluationError&) {
            ++failures;
        }
    };
    for (std::uint64_t i = 0; i < 4; ++i)
        searches.emplace_back([&, i] {
            guarded([&] {
                Puct<Uttt> search(batcher, PuctOptions{.batch = 1 + 3 * i});
                search.search(Uttt{}, Limits{.nodes = 1500}, StopFlag{});
            });
        });
    searches.emplace_back([&] {
        guarded([&] {
            SelfPlay<Uttt> play(batcher, SelfPlayOptions{.games = 8, .full = 16, .fast = 4});
            SearchSamples<Uttt> samples(1000);
            play.play(50, samples);
        });
    });
    searches.clear();
    batcher->close();
    evaluators.clear();
    return failures;
}

// One tree and many threads: growing, full, moved to the next position, proven to the end, stopped from outside.
template <Position P>
bool shared_tree(MctsOptions options) {
    options.threads = 4;
    Mcts<P> search(options);
    P position;
    const SearchInfo info = search.search(position, Limits{.nodes = 3000}, StopFlag{});
    position.play(info.best);
    StopFlag stop;
    std::jthread stopper([&] { stop.set(); });
    search.search(position, Limits{.seconds = 5}, stop);
    search.search(position, Limits{.nodes = 100'000, .seconds = 0.05}, StopFlag{});
    return info.nodes <= 3000;
}

bool shared_trees() {
    return shared_tree<TicTacToe>({}) && shared_tree<Connect4>({.hash_mb = 1}) &&
           shared_tree<Uttt>({.rollout = RolloutPolicy::heuristic, .fpu = 1.0, .leaf_rollouts = 16});
}

}  // namespace

int main() {
    std::printf("%d %d\n", run(1'000'000), run(20));
    std::printf("%d\n", shared_trees());
}
