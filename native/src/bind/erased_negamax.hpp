// Negamax behind its interface, as in erased.hpp.
#pragma once

#include "bind/values.hpp"
#include "search/negamax.hpp"

namespace fiedler {

class ErasedNegamax {
  public:
    virtual ~ErasedNegamax() = default;
    virtual SearchInfo search(const ErasedPosition&, const Limits&, const StopFlag&, const OnInfo&) = 0;
    virtual void clear() = 0;
};

template <Position P>
class NegamaxOf final : public ErasedNegamax {
  public:
    // Throws std::invalid_argument for a network of another game.
    NegamaxOf(const NegamaxOptions& options, const EvaluationNet& net) : search_(options, values(net)) {
        if (const auto* cells = std::get_if<std::shared_ptr<const CellNet>>(&net)) use_cells<P>(*cells, search_);
    }
    SearchInfo search(const ErasedPosition& position, const Limits& limits, const StopFlag& stop,
                      const OnInfo& on_info) override {
        const Turn turn(taken_);
        return search_.search(as<P>(position), limits, stop, on_info);
    }
    void clear() override {
        const Turn turn(taken_);
        search_.clear();
    }

  private:
    static typename Negamax<P>::MakeValues values(const EvaluationNet& net) {
        if (const auto* patterns = std::get_if<std::shared_ptr<const PatternNet>>(&net))
            return [net = *patterns] { return values_from<P>(net); };
        return {};
    }

    Negamax<P> search_;
    std::atomic<bool> taken_ = false;
};

}  // namespace fiedler
