// The set of kernels of the level that is being compiled, named GANTRY_LEVEL_TABLE.
#include "host/level/vector-inl.h"
// vector-inl.h has to come first: the others use its registers.
#include "host/level/convert-inl.h"
#include "host/level/rows-inl.h"

namespace gantry {

extern const Kernels GANTRY_LEVEL_TABLE = {
    GANTRY_LEVEL_NAME,
#define GANTRY_INDEXED(type)                                                                                         \
  {gather_indexed<type, CopyFixed<4>>,   gather_indexed<type, CopyFixed<8>>,   gather_indexed<type, CopyFixed<16>>,  \
   gather_indexed<type, CopyFixed<32>>,  gather_indexed<type, CopyFixed<64>>,  gather_indexed<type, CopyFixed<128>>, \
   gather_indexed<type, CopyFixed<192>>, gather_indexed<type, CopyFixed<256>>, gather_indexed<type, CopyFixed<384>>, \
   gather_indexed<type, CopyFixed<512>>, gather_indexed<type, CopyAny>,        gather_indexed<type, Convert>}
// Rows of 4 and 8 bytes are no multiples of 16: they are never streamed.
#define GANTRY_INDEXED_STREAMING(type)     \
  {nullptr,                                \
   nullptr,                                \
   gather_indexed<type, StreamFixed<16>>,  \
   gather_indexed<type, StreamFixed<32>>,  \
   gather_indexed<type, StreamFixed<64>>,  \
   gather_indexed<type, StreamFixed<128>>, \
   gather_indexed<type, StreamFixed<192>>, \
   gather_indexed<type, StreamFixed<256>>, \
   gather_indexed<type, StreamFixed<384>>, \
   gather_indexed<type, StreamFixed<512>>, \
   gather_indexed<type, StreamAny>,        \
   gather_indexed<type, ConvertStreaming>}
    {GANTRY_INDEXED(int32_t), GANTRY_INDEXED(uint32_t), GANTRY_INDEXED(int64_t)},
    {GANTRY_INDEXED_STREAMING(int32_t), GANTRY_INDEXED_STREAMING(uint32_t), GANTRY_INDEXED_STREAMING(int64_t)},
#undef GANTRY_INDEXED
#undef GANTRY_INDEXED_STREAMING
    {gather_rows<CopyAny>, gather_rows<Convert>},
    {gather_rows<StreamAny>, gather_rows<ConvertStreaming>},
    {scatter_rows<CopyFixed<4>>, scatter_rows<CopyFixed<8>>, scatter_rows<CopyFixed<16>>, scatter_rows<CopyFixed<32>>,
     scatter_rows<CopyFixed<64>>, scatter_rows<CopyFixed<128>>, scatter_rows<CopyFixed<192>>,
     scatter_rows<CopyFixed<256>>, scatter_rows<CopyFixed<384>>, scatter_rows<CopyFixed<512>>, scatter_rows<CopyAny>,
     scatter_rows<Convert>},
    {scatter_add_rows<AddInteger<uint8_t>>, scatter_add_rows<AddInteger<uint16_t>>,
     scatter_add_rows<AddInteger<uint32_t>>, scatter_add_rows<AddInteger<uint64_t>>, scatter_add_rows<AddFloat<F32>>,
     scatter_add_rows<AddF64>},
    {add_row<AddFloat<F16>>, add_row<AddFloat<BF16>>},
    {add_wide<F16>, add_wide<BF16>},
    {{nullptr, convert_float<F16, BF16>, convert_float<F16, F32>, convert_float<F16, F64>},
     {convert_float<BF16, F16>, nullptr, convert_float<BF16, F32>, convert_float<BF16, F64>},
     {convert_float<F32, F16>, convert_float<F32, BF16>, nullptr, convert_float<F32, F64>},
     {convert_float<F64, F16>, convert_float<F64, BF16>, convert_float<F64, F32>, nullptr}},
// Columns: int8, uint8, int16, uint16, int32, uint32, 64 bits.
#define GANTRY_TO_8(from) convert_integer<from, uint8_t>, convert_integer<from, uint8_t>
#define GANTRY_TO_16(from) convert_integer<from, uint16_t>, convert_integer<from, uint16_t>
#define GANTRY_TO_32(from) convert_integer<from, uint32_t>, convert_integer<from, uint32_t>
    {{nullptr, nullptr, GANTRY_TO_16(int8_t), GANTRY_TO_32(int8_t), convert_integer<int8_t, uint64_t>},
     {nullptr, nullptr, GANTRY_TO_16(uint8_t), GANTRY_TO_32(uint8_t), convert_integer<uint8_t, uint64_t>},
     {GANTRY_TO_8(int16_t), nullptr, nullptr, GANTRY_TO_32(int16_t), convert_integer<int16_t, uint64_t>},
     {GANTRY_TO_8(uint16_t), nullptr, nullptr, GANTRY_TO_32(uint16_t), convert_integer<uint16_t, uint64_t>},
     {GANTRY_TO_8(int32_t), GANTRY_TO_16(int32_t), nullptr, nullptr, convert_integer<int32_t, uint64_t>},
     {GANTRY_TO_8(uint32_t), GANTRY_TO_16(uint32_t), nullptr, nullptr, convert_integer<uint32_t, uint64_t>},
     {GANTRY_TO_8(uint64_t), GANTRY_TO_16(uint64_t), GANTRY_TO_32(uint64_t), nullptr}},
#undef GANTRY_TO_8
#undef GANTRY_TO_16
#undef GANTRY_TO_32
    end_streaming,
};

}  // namespace gantry
