// Every kernel that there is: from a unit that is known at run time to its type.
#ifndef GANTRY_CUDA_UNITS_H
#define GANTRY_CUDA_UNITS_H

#include "cuda/plan.h"

namespace gantry {
namespace cuda {

// Each calls `use` with the unit's type, and returns false when there is none.
template <class Use>
bool with_byte_unit(const Unit& unit, const Use& use) {
  switch (unit.elements) {
    case 16:
      use(ByteUnit<16>{});
      return true;
    case 8:
      use(ByteUnit<8>{});
      return true;
    case 4:
      use(ByteUnit<4>{});
      return true;
    case 2:
      use(ByteUnit<2>{});
      return true;
    case 1:
      use(ByteUnit<1>{});
      return true;
    default:
      return false;
  }
}

template <Kind kFrom, Kind kTo, class Use>
bool with_float_pair(const Use& use) {
  if constexpr (kFrom == kTo) {
    return false;
  } else {
    use(FloatUnit<kFrom, kTo>{});
    return true;
  }
}

template <Kind kFrom, class Use>
bool with_float_from(Kind to, const Use& use) {
  switch (to) {
    case Kind::f16:
      return with_float_pair<kFrom, Kind::f16>(use);
    case Kind::bf16:
      return with_float_pair<kFrom, Kind::bf16>(use);
    case Kind::f32:
      return with_float_pair<kFrom, Kind::f32>(use);
    case Kind::f64:
      return with_float_pair<kFrom, Kind::f64>(use);
    default:
      return false;
  }
}

template <class Use>
bool with_conversion_unit(const Unit& unit, const Use& use) {
  if (unit.kind == UnitKind::any) {
    use(AnyUnit{unit.from, unit.to});
    return true;
  }
  switch (unit.from) {
    case Kind::f16:
      return with_float_from<Kind::f16>(unit.to, use);
    case Kind::bf16:
      return with_float_from<Kind::bf16>(unit.to, use);
    case Kind::f32:
      return with_float_from<Kind::f32>(unit.to, use);
    case Kind::f64:
      return with_float_from<Kind::f64>(unit.to, use);
    default:
      return false;
  }
}

template <Kind kKind, int kMost, class Use>
bool with_half_add_unit(uint32_t elements, const Use& use) {
  if (elements == kMost) {
    use(AddUnit<kKind, kMost>{});
  } else if (elements == 2) {
    use(AddUnit<kKind, 2>{});
  } else {
    use(AddUnit<kKind, 1>{});
  }
  return true;
}

template <class Use>
bool with_add_unit(const Unit& unit, const Use& use) {
  switch (unit.to) {
    case Kind::f16:
      return with_half_add_unit<Kind::f16, 8>(unit.elements, use);
    case Kind::bf16:
      return with_half_add_unit<Kind::bf16, 8>(unit.elements, use);
    case Kind::f32:
      if (unit.elements == 4) {
        use(AddUnit<Kind::f32, 4>{});
      } else {
        use(AddUnit<Kind::f32, 1>{});
      }
      return true;
    case Kind::f64:
      use(AddUnit<Kind::f64, 1>{});
      return true;
    case Kind::i64:
      use(AddUnit<Kind::i64, 1>{});
      return true;
    case Kind::u32:
      use(AddUnit<Kind::u32, 1>{});
      return true;
    case Kind::u16:
      use(AddUnit<Kind::u16, 1>{});
      return true;
    case Kind::u8:
      use(AddUnit<Kind::u8, 1>{});
      return true;
    default:
      return false;
  }
}

}  // namespace cuda
}  // namespace gantry

#endif
