// Network evaluation shared by all searches: a search submits the planes of its leaves, and one of those in a batch,
// mostly the last that it waited for, runs the network on its own thread. So a lone search hands nothing over.
#pragma once

#include <algorithm>
#include <cassert>
#include <chrono>
#include <cmath>
#include <concepts>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
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

// Runs the network. It may serve any thread, one at a time.
class Evaluator {
  public:
    virtual ~Evaluator() = default;
    // The input, with room for all rows of a batch.
    virtual float* planes() = 0;
    // The answers of the heads, in their order, to the first `leaves` rows of the planes; the rows after them are
    // zeros. They are valid until the next call. An exception closes the batcher, with its text as the reason.
    virtual std::span<const float* const> run(std::size_t leaves) = 0;
};

// The work of a batcher so far.
struct BatcherStats {
    std::uint64_t batches = 0;  // answered
    std::uint64_t rows = 0;     // leaves in them, padding not counted
    double seconds = 0;         // between taking a batch and its answer, summed over the evaluators
};

// Safe to use from any number of searches. A batch has at most rows() rows, and each evaluator runs one at a time. A
// network that treats its rows alike gives a leaf the same answer beside any other leaves.
class Batcher {
  public:
    // `planes` are floats per row of the input. A batch of `enough` rows does not wait for more. Outputs come in the
    // order of the heads.
    Batcher(std::size_t planes, Heads heads, std::size_t rows, std::size_t enough)
        : planes_(planes), rows_(rows), enough_(enough), heads_(std::move(heads)) {}
    Batcher(const Batcher&) = delete;
    Batcher& operator=(const Batcher&) = delete;

    std::size_t planes() const { return planes_; }
    const Heads& heads() const { return heads_; }
    std::size_t rows() const { return rows_; }

    // Searches wait until there is an evaluator.
    void add(std::unique_ptr<Evaluator> evaluator) {
        const std::lock_guard held(mutex_);
        seats_.push_back(std::make_unique<Seat>(std::move(evaluator)));
        idle_.push_back(seats_.back().get());
        wake_watcher();
    }

    // A running search. A batch waits until it has enough rows or every client waits; a slow client delays the others
    // by a millisecond at most.
    class Client {
      public:
        explicit Client(Batcher& batcher) : batcher_(batcher) {
            const std::lock_guard held(batcher_.mutex_);
            ++batcher_.clients_;
        }
        ~Client() {
            const std::lock_guard held(batcher_.mutex_);
            --batcher_.clients_;
            batcher_.wake_watcher();
        }
        Client(const Client&) = delete;
        Client& operator=(const Client&) = delete;

        // Returns when all rows are answered: each of `outputs` receives the floats of one head. Throws
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

    // Every waiting or later search gets EvaluationError with this message. Only the first message counts.
    void close(const std::string& why = "the network is closed") {
        const std::lock_guard held(mutex_);
        close_now(why);
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
    using Lock = std::unique_lock<std::mutex>;
    static constexpr std::chrono::milliseconds patience{1};

    // Rows of one search. Those taken into batches come back, with an answer unless the batcher was closed.
    struct Request {
        Request(const float* planes_in, std::span<float* const> outputs_of_heads, std::size_t count)
            : planes(planes_in), outputs(outputs_of_heads), rows(count) {}
        const float* planes;
        std::span<float* const> outputs;
        std::size_t rows, taken = 0, back = 0;
        bool failed = false;
        bool serves = false;  // its search runs the network for a batch
        Clock::time_point since = Clock::now();
        std::condition_variable turn;  // to look again: rows are back, or the search may have to run the network
    };
    struct Part {  // of a request, in a batch
        Request* request;
        std::size_t from, rows;
    };
    struct Seat {
        explicit Seat(std::unique_ptr<Evaluator> one) : evaluator(std::move(one)) {}
        std::unique_ptr<Evaluator> evaluator;
        std::vector<Part> parts{};
        std::span<const float* const> outputs{};  // of the heads
        std::size_t rows = 0;                     // of the batch
        std::size_t dirty = 0;                    // rows of the planes that may not be zeros
    };

    void evaluate(Request&& request) {
        if (!request.rows) return;
        Lock lock(mutex_);
        if (closed_) throw EvaluationError(why_);
        queue_.push_back(&request);
        waiting_rows_ += request.rows;
        ++waiting_;
        while (request.back < request.rows && !(closed_ && request.back == request.taken)) {
            if (!idle_.empty() && ready()) {
                request.serves = true;
                serve(lock);
                request.serves = false;
            } else if (!idle_.empty() && watcher() == &request) {
                request.turn.wait_until(lock, queue_.front()->since + patience);
            } else {
                request.turn.wait(lock);
            }
        }
        if (request.back < request.rows) --waiting_;
        wake_watcher();
        if (request.failed || request.back < request.rows) throw EvaluationError(why_);
    }

    // Run the network for the oldest rows. The lock is released meanwhile.
    void serve(Lock& lock) {
        Seat& seat = *idle_.back();
        idle_.pop_back();
        const Clock::time_point began = Clock::now();
        fill(seat);
        wake_watcher();
        lock.unlock();
        std::optional<std::string> failure;
        try {
            seat.outputs = seat.evaluator->run(seat.rows);
            if (!finite(seat.outputs, seat.rows)) failure = "the network's answer is not finite";
        } catch (const std::exception& error) {
            failure = error.what();
        } catch (...) {
            failure = "the network failed";
        }
        lock.lock();
        if (failure) close_now(*failure);
        hand_back(seat);
        if (!closed_) {
            ++stats_.batches;
            stats_.rows += seat.rows;
            stats_.seconds += std::chrono::duration<double>(Clock::now() - began).count();
        }
        idle_.push_back(&seat);
        wake_watcher();
    }

    void fill(Seat& seat) {
        float* const planes = seat.evaluator->planes();
        seat.parts.clear();
        seat.rows = 0;
        while (!queue_.empty() && seat.rows < rows_) take(seat, planes + seat.rows * planes_);
        if (seat.dirty > seat.rows) std::fill(planes + seat.rows * planes_, planes + seat.dirty * planes_, 0.0f);
        seat.dirty = seat.rows;
    }

    // Moves as many rows of the oldest request as fit into the batch.
    void take(Seat& seat, float* planes) {
        Request& request = *queue_.front();
        const std::size_t count = std::min(request.rows - request.taken, rows_ - seat.rows);
        std::copy_n(request.planes + request.taken * planes_, count * planes_, planes);
        seat.parts.push_back({&request, request.taken, count});
        seat.rows += count;
        request.taken += count;
        waiting_rows_ -= count;
        if (request.taken == request.rows) queue_.pop_front();
    }

    void hand_back(Seat& seat) {
        std::size_t row = 0;
        for (const Part& part : seat.parts) {
            Request& request = *part.request;
            for (std::size_t i = 0; i < heads_.size() && !closed_; ++i) {
                const std::size_t width = heads_[i].width;
                std::copy_n(seat.outputs[i] + row * width, part.rows * width, request.outputs[i] + part.from * width);
            }
            row += part.rows;
            request.back += part.rows;
            request.failed |= closed_;
            if (request.back == request.rows) --waiting_;
            request.turn.notify_one();
        }
    }

    void close_now(const std::string& why) {
        if (closed_) return;
        closed_ = true;
        why_ = why;
        for (Request* request : queue_) request->turn.notify_one();
        queue_.clear();
        waiting_rows_ = 0;
    }

    // The oldest request whose search does not run the network: it sees to it that a batch begins.
    Request* watcher() const {
        const auto found = std::ranges::find(queue_, false, &Request::serves);
        return found == queue_.end() ? nullptr : *found;
    }
    void wake_watcher() {
        if (Request* request = watcher()) request->turn.notify_one();
    }

    bool finite(std::span<const float* const> outputs, std::size_t rows) const {
        for (std::size_t i = 0; i < heads_.size(); ++i)
            if (!std::all_of(outputs[i], outputs[i] + rows * heads_[i].width, [](float x) { return std::isfinite(x); }))
                return false;
        return true;
    }

    // Whether a batch may begin: it has enough rows, no search is left to add some, or its oldest rows have waited
    // long.
    bool ready() const {
        if (queue_.empty()) return false;
        return waiting_rows_ >= enough_ || waiting_ >= clients_ || Clock::now() >= queue_.front()->since + patience;
    }

    const std::size_t planes_, rows_, enough_;
    const Heads heads_;
    mutable std::mutex mutex_;  // guards all below; requests live on the stacks of the searches
    std::vector<std::unique_ptr<Seat>> seats_;
    std::vector<Seat*> idle_;
    std::deque<Request*> queue_;  // oldest first, with rows not yet taken
    std::size_t clients_ = 0, waiting_ = 0, waiting_rows_ = 0;
    bool closed_ = false;
    std::string why_;
    BatcherStats stats_;
};

}  // namespace fiedler
