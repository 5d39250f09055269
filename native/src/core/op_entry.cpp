// The ops of the C interface.
#include "core/entry.h"
#include "core/op.h"

namespace gantry {
namespace {

template <class Body>
gantry_status run(Op op, gantry_context* context, const gantry_options* options, const gantry_environment* environment,
                  gantry_stream stream, const Body& body) noexcept {
  return guarded([&]() -> gantry_status {
    if (context == nullptr) return fail(GANTRY_ERROR_INVALID_ARGUMENT, "the context is null");
    if (const gantry_status status = Activity::check(context)) return status;
    const Activity activity(context);
    Operation operation(op, context, stream);
    if (const gantry_status status = operation.begin(options, environment)) return status;
    return body(operation);
  });
}

}  // namespace
}  // namespace gantry

using gantry::Op;
using gantry::Operation;

extern "C" {

gantry_status gantry_gather(gantry_context* context, const gantry_table* table, const gantry_tensor* indices,
                            gantry_tensor* output, const gantry_options* options, const gantry_environment* environment,
                            gantry_stream stream) {
  return gantry::run(Op::gather, context, options, environment, stream,
                     [&](Operation& operation) { return operation.gather(table, indices, output); });
}

gantry_status gantry_scatter(gantry_context* context, const gantry_tensor* rows, const gantry_tensor* indices,
                             const gantry_table* table, const gantry_options* options,
                             const gantry_environment* environment, gantry_stream stream) {
  return gantry::run(Op::scatter, context, options, environment, stream,
                     [&](Operation& operation) { return operation.scatter(rows, indices, table); });
}

gantry_status gantry_scatter_add(gantry_context* context, const gantry_tensor* rows, const gantry_tensor* indices,
                                 const gantry_table* table, const gantry_options* options,
                                 const gantry_environment* environment, gantry_stream stream) {
  return gantry::run(Op::scatter_add, context, options, environment, stream,
                     [&](Operation& operation) { return operation.scatter(rows, indices, table); });
}

gantry_status gantry_convert(gantry_context* context, const gantry_tensor* source, const gantry_tensor* destination,
                             const gantry_options* options, const gantry_environment* environment,
                             gantry_stream stream) {
  return gantry::run(Op::convert, context, options, environment, stream,
                     [&](Operation& operation) { return operation.convert(source, destination); });
}

gantry_status gantry_copy(gantry_context* context, const gantry_tensor* source, const gantry_tensor* destination,
                          const gantry_options* options, const gantry_environment* environment, gantry_stream stream) {
  return gantry::run(Op::copy, context, options, environment, stream,
                     [&](Operation& operation) { return operation.convert(source, destination); });
}

}  // extern "C"
