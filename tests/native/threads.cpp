// Searches and evaluators over one batcher, and searches of several threads each, for the thread sanitizer: built and
// run by test_threads.py.
#include <cstdio>
#include <thread>

#include "games/connect4.hpp"
#include "games/tictactoe.hpp"
#include "games/uttt/uttt.hpp"
#include "learn/selfplay.hpp"
#include "search/best_first.hpp"
#include "search/mcts.hpp"
#include "search/network_leaves.hpp"
#include "search/puct.hpp"

using namespace fiedler;

namespace {

constexpr std::size_t planes = planes_size<Uttt>, rows = 8;

// Answers every row with a value that depends on its stones, `batches` times.
class Stones final : public Evaluator {
  public:
    explicit Stones(int batches) : batches_(batches) {}
    float* planes() override { return input_.data(); }
    std::span<const float* const> run(std::size_t leaves) override {
        if (batches_-- == 0) throw EvaluationError("the network failed");
        for (std::size_t row = 0; row < leaves; ++row) {
            float sum = 0;
            for (std::size_t i = 0; i < 2 * 81; ++i) sum += input_[row * ::planes + i] * static_cast<float>(i % 7);
            values_[row] = std::sin(sum);
        }
        return outputs_;
    }

  private:
    int batches_;
    std::vector<float> input_ = std::vector<float>(rows * ::planes), policy_ = std::vector<float>(rows * Uttt::actions),
                       values_ = std::vector<float>(rows);
    const float* outputs_[2] = {policy_.data(), values_.data()};
};

// Four searches and self-play at once over two evaluators that fail after `batches`; returns the number of failed
// searches. A batch does not wait for more than `enough` rows. `close`: the batcher is closed from outside meanwhile.
int run(int batches, std::size_t enough, bool close = false) {
    auto batcher = std::make_shared<Batcher>(planes, Heads{{"policy", Uttt::actions}, {"value", 1}}, rows, enough);
    std::atomic<int> failures = 0;
    std::vector<std::jthread> searches;
    for (int i = 0; i < 2; ++i) batcher->add(std::make_unique<Stones>(batches));
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
                Puct<Uttt, NetworkLeaves<Uttt>> search(batcher, PuctOptions{.batch = 1 + 3 * i});
                search.search(Uttt{}, Limits{.nodes = close ? 0u : 1500u, .seconds = close ? 60.0 : 0.0}, StopFlag{});
            });
        });
    searches.emplace_back([&] {
        guarded([&] {
            SelfPlay<Uttt> play(batcher, SelfPlayOptions{.games = 8, .full = 16, .fast = 4});
            SearchSamples<Uttt> samples(1000);
            play.play(close ? 1'000'000 : 50, samples);
        });
    });
    while (close && batcher->stats().batches < 100) std::this_thread::yield();
    if (close) batcher->close();
    searches.clear();
    return failures;
}

// A tree for each of many threads: growing, full, moved to the next position, proven to the end, stopped from outside.
template <Position P>
bool trees(MctsOptions options) {
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

bool all_trees() {
    return trees<TicTacToe>({}) && trees<Connect4>({.hash_mb = 1}) &&
           trees<Uttt>({.rollout = RolloutPolicy::heuristic, .fpu = 1.0, .leaf_rollouts = 16});
}

// Values by the key of the position, `calls` times.
template <Position P>
class Keys final : public Values<P> {
  public:
    explicit Keys(int calls) : calls_(calls) {}
    void of(const P&, std::span<const P> positions, float* values) override {
        if (calls_-- == 0) throw EvaluationError("the network failed");
        for (const P& position : positions) *values++ = of(position);
    }
    float of(const P& position) override { return std::sin(static_cast<float>(position.key() % 1000)); }
    bool fast() const override { return true; }

  private:
    int calls_;
};

template <Position P>
BestFirst<P> best_first(std::size_t threads, BestFirstOptions options, int calls = 1'000'000'000) {
    options.threads = threads;
    std::vector<std::unique_ptr<Values<P>>> values;
    for (std::size_t i = 0; i < threads; ++i) values.push_back(std::make_unique<Keys<P>>(calls));
    return BestFirst<P>(std::move(values), options);
}

// Many threads in one tree: growing and read meanwhile, full, moved to the next position, proven, stopped from outside.
template <Position P>
bool one_tree(const BestFirstOptions& options) {
    BestFirst<P> search = best_first<P>(4, options);
    P position;
    int reports = 0;
    const SearchInfo info = search.search(position, Limits{.nodes = 20'000}, StopFlag{},
                                          [&](const SearchInfo& read) { reports += !read.pv.empty(); });
    position.play(info.best);
    StopFlag stop;
    std::jthread stopper([&] { stop.set(); });
    search.search(position, Limits{.seconds = 5}, stop);
    search.search(position, Limits{.nodes = 100'000, .seconds = 0.05}, StopFlag{});
    const std::uint64_t most = 20'000 + (options.to_the_end ? 4 * P::max_plies : 0);  // an iteration is not cut short
    return info.nodes <= most && (info.proven() || reports);
}

bool fails() {
    try {
        best_first<Uttt>(4, {}, 30).search(Uttt{}, Limits{}, StopFlag{});
    } catch (const EvaluationError&) {
        return true;
    }
    return false;
}

bool all_best_first() {
    return one_tree<TicTacToe>({}) && one_tree<Connect4>({.hash_mb = 1}) && one_tree<Uttt>({}) &&
           one_tree<Uttt>({.to_the_end = true, .hash_mb = 8}) && fails();
}

}  // namespace

int main() {
    constexpr int always = 1'000'000;
    std::printf("%d %d %d %d\n", run(always, rows), run(always, 2), run(20, rows), run(20, 2));
    std::printf("%d\n", run(always, 2, true));
    std::printf("%d\n", all_trees());
    std::printf("%d\n", all_best_first());
}
