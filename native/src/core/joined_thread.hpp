// A thread that is waited for at its end: std::jthread, which libc++ lacks before version 20, and so macOS.
#pragma once

#include <thread>
#include <utility>

namespace fiedler {

class JoinedThread {
  public:
    template <class Work>
    explicit JoinedThread(Work work) : thread_(std::move(work)) {}
    JoinedThread(JoinedThread&&) noexcept = default;
    JoinedThread& operator=(JoinedThread&&) = delete;
    ~JoinedThread() {
        if (thread_.joinable()) thread_.join();
    }

  private:
    std::thread thread_;
};

}  // namespace fiedler
