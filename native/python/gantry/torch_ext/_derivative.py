"""Derivatives of gather for torch: backward, forward and of any order. What the other ops need so as not to give wrong ones."""

from __future__ import annotations

from typing import Any, Callable


def forward_mode(torch: Any) -> Callable[[], bool]:
    """Whether tensors may carry tangents now (torch.func.jvp, forward_ad.dual_level). A torch that does not tell is taken to say
    yes, which costs time and no result."""
    module = torch.autograd.forward_ad
    return lambda: getattr(module, "_current_level", 0) >= 0


def has_tangent(torch: Any, tensor: Any) -> bool:
    return torch.autograd.forward_ad.unpack_dual(tensor).tangent is not None


def written(torch: Any) -> Callable[[Any], None]:
    """Tells autograd that a tensor was written: a backward that needs the former values then raises torch's own error."""
    increment = getattr(torch.autograd.graph, "increment_version", None)
    if increment is not None:
        return increment  # type: ignore[no-any-return]

    def write_nothing(tensor: Any) -> None:
        # Before torch 2.1 only an op that writes does it: here to no element of a tensor that shares the counter.
        if not tensor.is_inference():
            tensor.detach().as_strided((0,), (1,)).zero_()

    return write_nothing


def differentiable_gather(torch: Any, gather_op: Any, scatter_add_op: Any) -> Callable[[Any, Any, int], Any]:
    """gather as a linear map of its table. Its transpose adds rows up where they came from; each is the other's derivative, so
    that derivatives of derivatives are right too."""
    modern = hasattr(torch.autograd.Function, "setup_context")  # torch.func, from torch 2.0 on, takes no other kind

    class Linear(torch.autograd.Function):  # type: ignore[misc]
        """Of rows; `layout` is the shape and the device of the table."""

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            _, indices, ctx.layout, ctx.policy = inputs
            ctx.save_for_backward(indices)
            ctx.save_for_forward(indices)

    class Gather(Linear):
        @staticmethod
        def compute(table: Any, indices: Any, layout: Any, policy: int) -> Any:
            return gather_op(table, indices, policy)

        @staticmethod
        def backward(ctx: Any, gradient: Any) -> Any:
            (indices,) = ctx.saved_tensors
            return Transpose.apply(gradient, indices, ctx.layout, ctx.policy), None, None, None

        @staticmethod
        def jvp(ctx: Any, tangent: Any, *_: Any) -> Any:
            (indices,) = ctx.saved_tensors
            return Gather.apply(tangent, indices, ctx.layout, ctx.policy)

    class Transpose(Linear):
        @staticmethod
        def compute(rows: Any, indices: Any, layout: Any, policy: int) -> Any:
            shape, device = layout
            result = torch.zeros(shape, dtype=rows.dtype, device=device)
            rows = rows.reshape(indices.numel(), *shape[1:]).contiguous()
            deterministic = int(torch.are_deterministic_algorithms_enabled())
            scatter_add_op(result, indices.reshape(-1), rows, policy, deterministic)
            return result

        @staticmethod
        def backward(ctx: Any, gradient: Any) -> Any:
            (indices,) = ctx.saved_tensors
            return Gather.apply(gradient.contiguous(), indices, ctx.layout, ctx.policy), None, None, None

        @staticmethod
        def jvp(ctx: Any, tangent: Any, *_: Any) -> Any:
            (indices,) = ctx.saved_tensors
            return Transpose.apply(tangent, indices, ctx.layout, ctx.policy)

    for function in (Gather, Transpose):
        function.forward = staticmethod(function.compute if modern else _with_context(function))
    in_forward_mode = forward_mode(torch)

    def gather(table: Any, indices: Any, policy: int) -> Any:
        if (table.requires_grad and torch.is_grad_enabled()) or in_forward_mode():
            return Gather.apply(table, indices, (tuple(table.shape), table.device), policy)
        return gather_op(table, indices, policy)

    return gather


def _with_context(function: Any) -> Any:
    """forward as torch 1 wants it."""

    def forward(ctx: Any, *inputs: Any) -> Any:
        output = function.compute(*inputs)
        function.setup_context(ctx, inputs, output)
        return output

    return forward
