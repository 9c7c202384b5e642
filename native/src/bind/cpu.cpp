// The builds of the core that this processor can run. A module of its own: it must load everywhere.
#include "cpu.hpp"

#include <nanobind/nanobind.h>

NB_MODULE(_cpu, m) {
    m.doc() = "The level of this processor.";
    m.def("level", fiedler::level,
          "The x86-64 microarchitecture level: `v3` with AVX2, BMI2 and popcnt, `v4` with AVX-512 besides; else "
          "`baseline`.");
}
