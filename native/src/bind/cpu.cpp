// The builds of the core that this processor can run. A module of its own: it must load everywhere.
#include "cpu.hpp"

#include <nanobind/nanobind.h>

NB_MODULE(_cpu, m) {
    m.doc() = "The level of this processor.";
    m.def("level", fiedler::level,
          "The x86-64 microarchitecture level: `baseline`, `v3` (AVX2, BMI2, popcnt) or `v4` (AVX-512 besides).");
}
