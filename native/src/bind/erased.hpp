// Games and searches behind one interface each, so that Python has one Position, one Negamax and one Mcts for all
// games. Only the edge pays for the virtual call; inside, everything is the template for the game.
#pragma once

#include <atomic>
#include <memory>
#include <stdexcept>

#include "core/forced_line.hpp"
#include "core/perft.hpp"
#include "net/pattern_input.hpp"
#include "search/mcts.hpp"

namespace fiedler {

class ErasedPosition {
  public:
    virtual ~ErasedPosition() = default;
    virtual std::unique_ptr<ErasedPosition> copy() const = 0;
    virtual std::string_view game() const = 0;
    virtual Outcome outcome() const = 0;
    virtual std::optional<int> result() const = 0;
    virtual std::vector<Move> moves() const = 0;
    virtual bool legal(Move move) const = 0;
    virtual std::string_view refusal(Move move) const = 0;  // see HasRefusal; empty if there is no such rule
    virtual void play(Move move) = 0;
    virtual std::uint64_t key() const = 0;
    virtual int ply() const = 0;
    virtual int side() const = 0;
    virtual int plies_left() const = 0;
    virtual bool fills_cells() const = 0;         // see MovesPieces
    virtual std::string_view ending() const = 0;  // see HasEnding; empty if the game has none
    virtual std::string cells() const = 0;
    virtual std::array<std::size_t, 3> planes_shape() const = 0;
    virtual void planes(float* out) const = 0;
    // See HasPatterns, and pattern_rows of TakesCellNet; empty if there are none.
    virtual std::vector<std::uint16_t> patterns() const = 0;
    virtual unsigned symmetries() const = 0;
    virtual std::size_t actions() const = 0;
    virtual std::unique_ptr<ErasedPosition> transformed(unsigned symmetry) const = 0;
    virtual Move transformed_move(unsigned symmetry, Move move) const = 0;
    virtual std::string text() const = 0;
    virtual std::string move_text(Move move) const = 0;
    virtual Move parse_move(std::string_view name) const = 0;
    virtual bool equals(const ErasedPosition& other) const = 0;
    virtual std::uint64_t perft(int depth, const StopFlag& stop) const = 0;
    virtual std::pair<int, std::vector<Move>> forced_line(std::uint64_t nodes) const = 0;
    virtual Move choose_osp(std::uint64_t seed) const = 0;
    virtual Move choose_hsp(std::uint64_t seed) const = 0;
    virtual RolloutTally rollouts(std::uint64_t count, std::uint64_t seed, const RolloutOptions& options) const = 0;
};

template <Position P>
class PositionOf final : public ErasedPosition {
  public:
    explicit PositionOf(const P& position = {}) : value(position) {}

    std::unique_ptr<ErasedPosition> copy() const override { return std::make_unique<PositionOf>(value); }
    std::string_view game() const override { return P::id; }
    Outcome outcome() const override { return value.outcome(); }
    std::optional<int> result() const override {
        if (value.outcome() == Outcome::running) return std::nullopt;
        return first_player_result(value);
    }
    std::vector<Move> moves() const override {
        Moves<P> list;
        value.moves(list);
        return {list.begin(), list.end()};
    }
    bool legal(Move move) const override { return value.legal(move); }
    std::string_view refusal(Move move) const override {
        if constexpr (HasRefusal<P>)
            if (value.outcome() == Outcome::running) return value.refusal(move);
        return {};
    }
    void play(Move move) override { value.play(move); }
    std::uint64_t key() const override { return value.key(); }
    int ply() const override { return value.ply(); }
    int side() const override { return value.side(); }
    int plies_left() const override { return fiedler::plies_left(value); }
    bool fills_cells() const override { return !MovesPieces<P>; }
    std::string_view ending() const override {
        if constexpr (HasEnding<P>) return value.ending();
        return {};
    }
    std::string cells() const override {
        std::string cells;
        for (int i = 0; i < P::cells_count; ++i) cells += static_cast<char>(value.cell(i));
        return cells;
    }
    std::array<std::size_t, 3> planes_shape() const override { return {P::planes_count, P::rows, P::columns}; }
    void planes(float* out) const override { value.planes(out); }
    std::vector<std::uint16_t> patterns() const override {
        std::vector<std::uint16_t> found;
        found.resize(pattern_places<P>);
        write_patterns(value, found.data());
        return found;
    }
    unsigned symmetries() const override { return P::symmetries; }
    std::size_t actions() const override { return P::actions; }
    std::unique_ptr<ErasedPosition> transformed(unsigned symmetry) const override {
        return std::make_unique<PositionOf>(value.transformed(symmetry));
    }
    Move transformed_move(unsigned symmetry, Move move) const override { return P::transformed_move(symmetry, move); }
    std::string text() const override { return value.text(); }
    std::string move_text(Move move) const override { return P::move_text(move); }
    Move parse_move(std::string_view name) const override { return P::parse_move(name); }
    bool equals(const ErasedPosition& other) const override {
        const auto* same = dynamic_cast<const PositionOf*>(&other);
        return same && same->value == value;
    }
    std::uint64_t perft(int depth, const StopFlag& stop) const override { return fiedler::perft(value, depth, stop); }
    std::pair<int, std::vector<Move>> forced_line(std::uint64_t nodes) const override {
        return fiedler::forced_line(value, nodes);
    }
    Move choose_osp(std::uint64_t seed) const override { return fiedler::choose_osp(value, seed); }
    Move choose_hsp(std::uint64_t seed) const override { return fiedler::choose_hsp(value, seed); }
    RolloutTally rollouts(std::uint64_t count, std::uint64_t seed, const RolloutOptions& options) const override {
        return tally_rollouts(value, count, seed, options);
    }

    P value;
};

// The position inside, which must be one of game P.
template <Position P>
const P& as(const ErasedPosition& position) {
    const auto* found = dynamic_cast<const PositionOf<P>*>(&position);
    if (!found)
        throw std::invalid_argument("expected a position of " + std::string(P::id) + ", got one of " +
                                    std::string(position.game()));
    return found->value;
}

// A search serves one caller at a time: a concurrent call, from another thread or a callback, gets an error, and cannot
// remove the tree of the first one.
class Turn {
  public:
    explicit Turn(std::atomic<bool>& taken) : taken_(taken) {
        if (taken_.exchange(true, std::memory_order_acquire))
            throw std::runtime_error("in use: one call at a time, please");
    }
    ~Turn() { taken_.store(false, std::memory_order_release); }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

  private:
    std::atomic<bool>& taken_;
};

class ErasedTreeSearch {
  public:
    virtual ~ErasedTreeSearch() = default;
    virtual SearchInfo search(const ErasedPosition&, const Limits&, const StopFlag&, const OnInfo&) = 0;
    virtual void clear() = 0;
    virtual void seed(std::uint64_t) = 0;
    virtual std::size_t size() const = 0;
    virtual std::size_t bytes_per_node() const = 0;
    virtual std::vector<RootMove> root_moves() const = 0;
};

// A tree search of game P behind `Face`, which is ErasedTreeSearch or a class derived from it.
template <Position P, class Search, class Face = ErasedTreeSearch>
class TreeSearchOf : public Face {
  public:
    template <class... Arguments>
    explicit TreeSearchOf(Arguments&&... arguments) : search_(std::forward<Arguments>(arguments)...) {}
    SearchInfo search(const ErasedPosition& position, const Limits& limits, const StopFlag& stop,
                      const OnInfo& on_info) override {
        const Turn turn(taken_);
        return search_.search(as<P>(position), limits, stop, on_info);
    }
    void clear() override {
        const Turn turn(taken_);
        search_.clear();
    }
    void seed(std::uint64_t seed) override {
        const Turn turn(taken_);
        search_.seed(seed);
    }
    std::size_t size() const override {
        const Turn turn(taken_);
        return search_.size();
    }
    std::size_t bytes_per_node() const override { return Search::bytes_per_node(); }
    std::vector<RootMove> root_moves() const override {
        const Turn turn(taken_);
        return search_.root_moves();
    }

  private:
    Search search_;
    mutable std::atomic<bool> taken_ = false;
};

template <Position P>
using MctsOf = TreeSearchOf<P, Mcts<P>>;

}  // namespace fiedler
