// What Python sees of the network searches.
#include "bindings.hpp"

namespace fiedler {

void bind_network_search(nanobind::module_&) {}

}  // namespace fiedler
