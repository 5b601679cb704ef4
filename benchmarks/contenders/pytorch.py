"""PyTorch in eager mode, on one thread."""

from __future__ import annotations

import time
from typing import Any

import torch

from benchmarks.contenders.starting import started
from benchmarks.contenders.tape_style import as_works, resident
from benchmarks.data import CHAIN, MIDDLE, RATE, SIZES, SMALL, network, normal
from benchmarks.task import Task

torch.set_num_threads(1)

GRADIENT = """
import torch
x = torch.tensor(3.0, requires_grad=True)
y = x * x
y.backward()
x.grad.numpy()
"""


def linked(x: Any) -> Any:
    y = x
    for _ in range(CHAIN):
        y = y * x
    return y


def recorded(x: Any) -> Task:
    x = x.requires_grad_()
    return Task(lambda _: linked(x), units=CHAIN)


def product(x: Any, y: Any) -> Any:
    return x * y


def helped(x: Any) -> Task:
    x = x.requires_grad_()

    def run(_: None) -> None:
        y = x
        for _ in range(CHAIN):
            y = product(y, x)

    return Task(run, units=CHAIN)


def back(x: Any) -> Task:
    x = x.requires_grad_()
    return Task(lambda y: torch.autograd.grad(y.sum(), x), lambda: linked(x), units=CHAIN)


def mlp(batch: int, widths: tuple[int, ...]) -> Task:
    x, labels, start = network(batch, widths)
    inputs, targets = torch.from_numpy(x), torch.from_numpy(labels).long()
    parameters = [torch.from_numpy(each).requires_grad_() for each in start]

    def step(_: None) -> None:
        h = inputs
        for at in range(0, len(parameters), 2):
            h = h @ parameters[at] + parameters[at + 1]
            h = torch.relu(h) if at + 2 < len(parameters) else h
        loss = torch.nn.functional.cross_entropy(h, targets)
        gradients = torch.autograd.grad(loss, parameters)
        with torch.no_grad():
            for parameter, gradient in zip(parameters, gradients, strict=True):
                parameter.sub_(RATE * gradient)

    return Task(step)


def value_and_gradient(function: Any, x: Any) -> Task:
    given = torch.from_numpy(x).requires_grad_()

    def run(_: None) -> Any:
        y = function(given)
        return y, torch.autograd.grad(y, given)

    return Task(run)


def fused(size: int) -> Task:
    return value_and_gradient(
        lambda x: (torch.tanh(x) * torch.sigmoid(x) + x * x * torch.exp(-x)).sum(), normal(size)
    )


def softmax() -> Task:
    weights = torch.from_numpy(normal(1024, 1024, seed=2))
    return value_and_gradient(lambda x: (torch.softmax(x, 1) * weights).sum(), normal(1024, 1024))


def layer_norm() -> Task:
    weights = torch.from_numpy(normal(1024, 1024, seed=2))
    x = torch.from_numpy(normal(1024, 1024)).requires_grad_()
    scale, shift = torch.ones(1024, requires_grad=True), torch.zeros(1024, requires_grad=True)

    def run(_: None) -> Any:
        y = (torch.nn.functional.layer_norm(x, (1024,), scale, shift) * weights).sum()
        return y, torch.autograd.grad(y, [x, scale, shift])

    return Task(run)


def layer_norm_ops() -> Task:
    weights = torch.from_numpy(normal(1024, 1024, seed=2))

    def function(x: Any) -> Any:
        variance, mean = torch.var_mean(x, 1, correction=0, keepdim=True)
        return ((x - mean) * torch.rsqrt(variance + 1e-5) * weights).sum()

    return value_and_gradient(function, normal(1024, 1024))


def logsumexp() -> Task:
    return value_and_gradient(lambda x: torch.logsumexp(x, 1).sum(), normal(1024, 1024))


def third() -> Task:
    x = torch.tensor(0.7, requires_grad=True)

    def run(_: None) -> Any:
        y = torch.sin(x) * x * x
        for _order in range(3):
            (y,) = torch.autograd.grad(y, x, create_graph=True)
        return y

    return Task(run)


def jacobian() -> Task:
    weights, x = torch.from_numpy(normal(100, 100)) * 0.1, torch.from_numpy(normal(100, seed=3))
    function = torch.func.jacrev(lambda x: torch.tanh(weights @ x))
    return Task(lambda _: function(x))


def hessian() -> Task:
    weights, x = torch.from_numpy(normal(50, 50)) * 0.1, torch.from_numpy(normal(50, seed=3))
    function = torch.func.hessian(lambda x: (torch.tanh(weights @ x) ** 2).sum())
    return Task(lambda _: function(x))


def tape_of(length: int) -> tuple[float, float]:
    x = torch.tensor(1.0000001, requires_grad=True)
    before, begun = resident(), time.process_time()
    y = x
    for _ in range(length):
        y = y * x
    grown = resident() - before
    torch.autograd.grad(y, x)
    return grown, time.process_time() - begun


TASKS = {
    "start_import": lambda: started("import torch"),
    "start_gradient": lambda: started(GRADIENT),
    "record_scalar": lambda: recorded(torch.tensor(1.0001)),
    "record_helper": lambda: helped(torch.tensor(1.0001)),
    "record_vector": lambda: recorded(torch.full((8,), 1.0001)),
    "back_scalar": lambda: back(torch.tensor(1.0001)),
    "back_vector": lambda: back(torch.full((8,), 1.0001)),
    "small_mlp": lambda: mlp(*SMALL),
    "middle_mlp": lambda: mlp(*MIDDLE),
    **{name: lambda size=size: fused(size) for name, size in SIZES.items()},
    "softmax": softmax,
    "layer_norm": layer_norm,
    "layer_norm_ops": layer_norm_ops,
    "logsumexp": logsumexp,
    "third": third,
    "jacobian": jacobian,
    "hessian": hessian,
    "tape": lambda: as_works(tape_of),
}
