// Network evaluation shared by all searches: searches submit the planes of their leaves and block, evaluator threads
// take full batches, run the network and return the answers.
#pragma once

#include <algorithm>
#include <atomic>
#include <cassert>
#include <chrono>
#include <cmath>
#include <concepts>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace fiedler {

// The network could not answer: its evaluator failed or was closed. The message is one line.
struct EvaluationError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// An output of a network, such as `policy` with 81 floats a row.
struct Head {
    std::string name;
    std::size_t width;  // floats a row
    bool operator==(const Head&) const = default;
};
using Heads = std::vector<Head>;

// The work of a batcher so far.
struct BatcherStats {
    std::uint64_t batches = 0;  // answered
    std::uint64_t rows = 0;     // leaves in them, padding not counted
    double seconds = 0;         // between taking a batch and its answer, summed over the evaluators
};

// Safe to use from any number of searches and evaluators. A batch has rows() rows; those that no leaf needs are zeros.
// A network that treats its rows alike gives a leaf the same answer beside any other leaves.
class Batcher {
  public:
    // `planes` are floats per row of the input. Outputs come and go in the order of the heads.
    Batcher(std::size_t planes, Heads heads, std::size_t rows)
        : planes_(planes), rows_(rows), heads_(std::move(heads)) {}
    Batcher(const Batcher&) = delete;
    Batcher& operator=(const Batcher&) = delete;

    std::size_t planes() const { return planes_; }
    const Heads& heads() const { return heads_; }
    std::size_t rows() const { return rows_; }

    // A running search. A batch waits until it is full or every client waits; a slow client delays the others by a
    // millisecond at most.
    class Client {
      public:
        explicit Client(Batcher& batcher) : batcher_(batcher) {
            const std::lock_guard held(batcher_.mutex_);
            ++batcher_.clients_;
        }
        ~Client() {
            const std::lock_guard held(batcher_.mutex_);
            --batcher_.clients_;
            batcher_.work_.notify_all();
        }
        Client(const Client&) = delete;
        Client& operator=(const Client&) = delete;

        // Blocks until all rows are answered: each of `outputs` receives the floats of one head. Throws
        // EvaluationError.
        void evaluate(const float* planes, std::size_t rows, std::span<float* const> outputs) {
            assert(outputs.size() == batcher_.heads_.size());
            batcher_.evaluate({planes, outputs, rows});
        }
        template <std::same_as<float>... Floats>
        void evaluate(const float* planes, std::size_t rows, Floats*... outputs) {
            float* const all[] = {outputs...};
            evaluate(planes, rows, std::span<float* const>(all));
        }

      private:
        Batcher& batcher_;
    };

    // For evaluators: blocks until there is a batch, writes rows() rows of planes and returns a ticket for `answer`; 0
    // once the batcher is closed.
    std::uint64_t collect(float* planes) {
        std::unique_lock lock(mutex_);
        while (!closed_ && !ready()) {
            if (queue_.empty()) {
                work_.wait(lock);
            } else {
                work_.wait_until(lock, queue_.front()->since + patience);
            }
        }
        if (closed_) return 0;
        Batch batch{.taken = Clock::now()};
        float* const end = planes + rows_ * planes_;
        while (!queue_.empty() && batch.rows < rows_) planes = take(batch, planes);
        std::fill(planes, end, 0.0f);
        in_flight_.emplace(++last_ticket_, std::move(batch));
        return last_ticket_;
    }

    // The number of leaves in a batch, which fill its first rows; 0 for a ticket from before a failure or close.
    std::size_t leaves(std::uint64_t ticket) const {
        const std::lock_guard held(mutex_);
        const auto found = in_flight_.find(ticket);
        return found == in_flight_.end() ? 0 : found->second.rows;
    }

    // Each of `outputs` has `rows` rows of one head, at least one for each leaf. A ticket from before a failure or
    // close is ignored. An answer that is not finite closes the batcher: it is useless to every search.
    void answer(std::uint64_t ticket, std::span<const float* const> outputs, std::size_t rows) {
        assert(outputs.size() == heads_.size());
        if (!finite(outputs, rows)) return close("the network's answer is not finite");
        const std::lock_guard held(mutex_);
        const auto found = in_flight_.find(ticket);
        if (found == in_flight_.end()) return;
        assert(found->second.rows <= rows);
        const Batch batch = std::move(found->second);
        in_flight_.erase(found);
        std::size_t row = 0;
        for (const Part& part : batch.parts) {
            Request& request = *part.request;
            for (std::size_t i = 0; i < heads_.size(); ++i) {
                const std::size_t width = heads_[i].width;
                std::copy_n(outputs[i] + row * width, part.rows * width, request.outputs[i] + part.from * width);
            }
            row += part.rows;
            request.answered += part.rows;
            if (request.answered == request.rows) request.done.notify_one();
        }
        ++stats_.batches;
        stats_.rows += batch.rows;
        stats_.seconds += std::chrono::duration<double>(Clock::now() - batch.taken).count();
    }

    // Every waiting or later search gets EvaluationError with this message. Only the first message counts.
    void close(const std::string& why = "the network is closed") {
        const std::lock_guard held(mutex_);
        if (closed_) return;
        closed_ = true;
        why_ = why;
        for (Request* request : queue_) request->done.notify_one();
        for (auto& [ticket, batch] : in_flight_)
            for (const Part& part : batch.parts) part.request->done.notify_one();
        queue_.clear();
        in_flight_.clear();
        work_.notify_all();
    }

    bool closed() const {
        const std::lock_guard held(mutex_);
        return closed_;
    }
    BatcherStats stats() const {
        const std::lock_guard held(mutex_);
        return stats_;
    }

  private:
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::milliseconds patience{1};

    struct Request {
        Request(const float* planes_in, std::span<float* const> outputs_of_heads, std::size_t count)
            : planes(planes_in), outputs(outputs_of_heads), rows(count) {}
        const float* planes;
        std::span<float* const> outputs;
        std::size_t rows, taken = 0, answered = 0;
        Clock::time_point since = Clock::now();
        std::condition_variable done;
    };
    struct Part {  // of a request, in a batch
        Request* request;
        std::size_t from, rows;
    };
    struct Batch {
        std::vector<Part> parts{};
        std::size_t rows = 0;
        Clock::time_point taken;
    };

    void evaluate(Request&& request) {
        if (!request.rows) return;
        std::unique_lock lock(mutex_);
        if (closed_) throw EvaluationError(why_);
        queue_.push_back(&request);
        waiting_rows_ += request.rows;
        ++waiting_;
        work_.notify_one();
        request.done.wait(lock, [&] { return request.answered == request.rows || closed_; });
        --waiting_;
        if (request.answered < request.rows) throw EvaluationError(why_);
    }

    bool finite(std::span<const float* const> outputs, std::size_t rows) const {
        for (std::size_t i = 0; i < heads_.size(); ++i)
            if (!std::all_of(outputs[i], outputs[i] + rows * heads_[i].width, [](float x) { return std::isfinite(x); }))
                return false;
        return true;
    }

    bool ready() const {
        if (queue_.empty()) return false;
        return waiting_rows_ >= rows_ || waiting_ >= clients_ || Clock::now() >= queue_.front()->since + patience;
    }

    // Moves as many rows of the oldest request as fit into the batch.
    float* take(Batch& batch, float* planes) {
        Request& request = *queue_.front();
        const std::size_t count = std::min(request.rows - request.taken, rows_ - batch.rows);
        planes = std::copy_n(request.planes + request.taken * planes_, count * planes_, planes);
        batch.parts.push_back({&request, request.taken, count});
        batch.rows += count;
        request.taken += count;
        waiting_rows_ -= count;
        if (request.taken == request.rows) queue_.pop_front();
        return planes;
    }

    const std::size_t planes_, rows_;
    const Heads heads_;
    mutable std::mutex mutex_;  // guards all below; requests live on the stacks of the blocked searches
    std::condition_variable work_;
    std::deque<Request*> queue_;  // oldest first, with rows not yet taken
    std::map<std::uint64_t, Batch> in_flight_;
    std::uint64_t last_ticket_ = 0;
    std::size_t clients_ = 0, waiting_ = 0, waiting_rows_ = 0;
    bool closed_ = false;
    std::string why_;
    BatcherStats stats_;
};

}  // namespace fiedler
