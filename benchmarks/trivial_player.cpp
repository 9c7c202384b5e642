// A UGI player that costs next to nothing, so that what is measured is the manager. For games on an n × n board where a
// move is an empty cell, called a1 to (last column, last row): tic-tac-toe (3) and gomoku (9, 15).
//
//     trivial_player 15
//
// It takes the first empty cell of its own colour in a colouring without three in a row up, across or aslant, so that
// the board gets full and games are as long as they can be.
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

class Board {
  public:
    explicit Board(int size) : size_(size) {}

    /// Take the moves of a `position` line, which begin at `at`; they are legal.
    void set(std::string_view line, std::size_t at) {
        taken_.fill(false);
        moves_ = 0;
        while (at < line.size()) {
            const int column = line[at++] - 'a';
            int row = 0;
            for (; at < line.size() && line[at] != ' '; ++at) row = 10 * row + line[at] - '0';
            ++at;
            taken_.at((row - 1) * kMost + column) = true;
            ++moves_;
        }
    }

    std::string move() const {
        const auto own =
            first_empty([this](int row, int column) { return ((column + 2 * row) >> 1 & 1) == (moves_ & 1); });
        return own != "none" ? own : first_empty([](int, int) { return true; });
    }

  private:
    template <class Wanted>
    std::string first_empty(Wanted wanted) const {
        for (int row = 0; row < size_; ++row)
            for (int column = 0; column < size_; ++column)
                if (!taken_[row * kMost + column] && wanted(row, column))
                    return char('a' + column) + std::to_string(row + 1);
        return "none";
    }

    static constexpr int kMost = 26;
    int size_;
    int moves_ = 0;
    std::array<bool, kMost * kMost> taken_{};
};

/// Return what to answer to a line.
std::string answer(std::string_view line, Board& board) {
    constexpr std::string_view kPosition = "position startpos";
    if (line.starts_with("go")) return "bestmove " + board.move() + "\n";
    if (line.starts_with(kPosition)) board.set(line, kPosition.size() + sizeof " moves");
    if (line == "isready") return "readyok\n";
    if (line == "ugi") return "id name trivial\nugiok\n";
    return "";
}

}  // namespace

int main(int count, char** words) {
    Board board(count > 1 ? std::atoi(words[1]) : 3);
    std::string received;
    std::array<char, 65536> portion;
    for (bool leaving = false; !leaving;) {
        const auto got = read(STDIN_FILENO, portion.data(), portion.size());
        if (got <= 0) return 0;
        received.append(portion.data(), got);
        std::string said;
        std::size_t begin = 0;
        for (auto end = received.find('\n'); end != std::string::npos; end = received.find('\n', begin)) {
            const auto line = std::string_view(received).substr(begin, end - begin);
            leaving = leaving || line == "quit";
            said += answer(line, board);
            begin = end + 1;
        }
        received.erase(0, begin);
        if (!said.empty() && write(STDOUT_FILENO, said.data(), said.size()) < 0) return 1;
    }
}
