"""PyTorch programs with a pitfall, each with what is said of it and a near miss.

A program computes `loss` from `w` and calls `loss.backward()`; the near miss is one whose gradient
is what it should be. The expression at fault stands in «guillemets».
"""

# ruff: noqa: E501 - one program a line
from __future__ import annotations

from typing import Final, NamedTuple


class Pitfall(NamedTuple):
    """A program, the code of its finding, and a program that looks like it and has none."""

    code: str
    program: str
    near_miss: str
    source: str = "w"
    fixed: bool = False
    """Whether the finding has a line to write instead, which repairs the program."""


W: Final = "w = torch.tensor([2.0, 1.0], requires_grad=True)\n"
V: Final = "v = torch.tensor([1.0, 3.0], requires_grad=True)\n"
END: Final = "loss.backward()\n"
DOUBLE: Final = """class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2.0

    @staticmethod
    def backward(ctx, dy):
        return RETURNED

"""

PITFALLS: Final = {
    "detach": Pitfall(
        "STOPPED", f"{W}{V}h = «(w * 3.0).detach()»\nloss = (h * v).sum()\n{END}",
        f"{W}{V}h = w * 3.0\nlog = h.detach()\nloss = (h * v).sum()\n{END}", fixed=True,
    ),
    "data": Pitfall(
        "STOPPED", f"{W}{V}loss = («(w * 3.0).data» * v).sum()\n{END}",
        f"{W}{V}before = w.data.clone()\nloss = (w * 3.0 * v).sum()\n{END}", fixed=True,
    ),
    "function_detach": Pitfall(
        "STOPPED", f"{W}{V}h = torch.exp(w)\nloss = («torch.detach(h)» * v).sum()\n{END}",
        f"{W}{V}h = torch.exp(w)\nc = torch.detach(h)\nloss = ((h + h - c) * v).sum()\n{END}",
    ),
    "no_grad": Pitfall(
        "RECORDING_PAUSED",
        f"{W}{V}with torch.no_grad():\n    h = «torch.sin(w)»\nloss = (h * v).sum()\n{END}",
        f"{W}{V}with torch.no_grad():\n    shown = torch.sin(w)\nloss = (torch.sin(w) * v).sum()\n"
        f"{END}",
    ),
    "set_grad_enabled": Pitfall(
        "RECORDING_PAUSED",
        f"{W}{V}with torch.set_grad_enabled(False):\n    h = «w * 2.0»\nloss = (h * v).sum()\n{END}",
        f"{W}{V}with torch.set_grad_enabled(True):\n    h = w * 2.0\nloss = (h * v).sum()\n{END}",
    ),
    "no_grad_decorator": Pitfall(
        "RECORDING_PAUSED",
        f"@torch.no_grad()\ndef features(x):\n    return «torch.tanh(x)»\n{W}{V}"
        f"loss = (features(w) * v).sum()\n{END}",
        f"@torch.enable_grad()\ndef features(x):\n    return torch.tanh(x)\n{W}{V}"
        f"loss = (features(w) * v).sum()\n{END}",
    ),
    "item": Pitfall(
        "LEFT_ENGINE", f"{W}{V}m = «w.sum().item()»\nloss = (m * v).sum()\n{END}",
        f"{W}{V}m = w.sum()\nprinted = m.item()\nloss = (m * v).sum()\n{END}",
    ),
    "item_and_tensor": Pitfall(
        "LEFT_ENGINE",
        f"{W}{V}m = «torch.exp(w).sum().item()»\nloss = (torch.tensor(m) * v).sum()\n{END}",
        f"{W}{V}m = torch.exp(w).sum()\nloss = (torch.tensor(2.0) * m * v).sum()\n{END}",
    ),
    "tolist": Pitfall(
        "LEFT_ENGINE", f"{W}{V}a = «torch.exp(w).tolist()»\nloss = (torch.tensor(a) * v).sum()\n{END}",
        f"{W}{V}a = [3.0, 4.0]\nloss = (torch.tensor(a) * torch.exp(w) * v).sum()\n{END}",
    ),
    "argmax": Pitfall(
        "NON_DIFFERENTIABLE", f"{W}{V}i = «torch.argmax(w)»\nloss = (i * v).sum()\n{END}",
        f"{W}{V}i = torch.argmax(w)\nloss = (w[i] * v).sum()\n{END}",
    ),
    "comparison": Pitfall(
        "NON_DIFFERENTIABLE", f"{W}{V}hit = («w > 1.5»).float()\nloss = (hit * v).sum()\n{END}",
        f"{W}{V}hit = (w > 1.5).float()\nloss = (hit * w * v).sum()\n{END}",
    ),
    "long": Pitfall(
        "NON_DIFFERENTIABLE", f"{W}{V}n = «w.long()»\nloss = (n.float() * v).sum()\n{END}",
        f"{W}{V}n = w.long()\nloss = (w.double() * v).sum() + n.sum()\n{END}",
    ),
    "sort_indices": Pitfall(
        "NON_DIFFERENTIABLE",
        f"{W}{V}order = «torch.argsort(w)»\nloss = (order * v).sum()\n{END}",
        f"{W}{V}values, order = torch.sort(w)\nloss = (values * v).sum()\n{END}",
    ),
    "plain_tensor": Pitfall(
        "NOT_WATCHED", f"w = «torch.tensor([2.0, 1.0])»\n{V}loss = (w * v).sum()\n{END}",
        f"w = torch.tensor([2.0, 1.0]).requires_grad_()\n{V}loss = (w * v).sum()\n{END}",
    ),
    "frozen": Pitfall(
        "NOT_TRAINABLE",
        "model = nn.Linear(2, 2)\nmodel.weight.requires_grad = False\nw = model.weight\n"
        f"loss = model(torch.ones(1, 2)).sum()\n{END}",
        f"model = nn.Linear(2, 2)\nw = model.weight\nloss = model(torch.ones(1, 2)).sum()\n{END}",
    ),
    "unused": Pitfall(
        "UNUSED_SOURCE", f"{W}{V}h = w * 2.0\nloss = v.sum()\n{END}",
        f"{W}{V}h = w * 2.0\nloss = (v * h).sum()\n{END}",
    ),
    "unused_layer": Pitfall(
        "UNUSED_SOURCE",
        "one, two = nn.Linear(2, 2), nn.Linear(2, 2)\nw = two.weight\n"
        f"loss = one(one(torch.ones(1, 2))).sum()\n{END}",
        "one, two = nn.Linear(2, 2), nn.Linear(2, 2)\nw = two.weight\n"
        f"loss = two(one(torch.ones(1, 2))).sum()\n{END}",
    ),
    "integers": Pitfall(
        "INT_DTYPE", f"w = torch.tensor([2, 1])\n{V}loss = (w * v).sum()\n{END}",
        f"w = torch.tensor([2.0, 1.0], requires_grad=True)\n{V}loss = (w * v).sum()\n{END}",
    ),
    "non_leaf": Pitfall(
        "NON_LEAF_GRADIENT", f"{W}h = «w * 3.0»\nloss = torch.sin(h).sum()\n{END}",
        f"{W}h = w * 3.0\nh.retain_grad()\nloss = torch.sin(h).sum()\n{END}", source="h",
    ),
    "moved_leaf": Pitfall(
        "NON_LEAF_GRADIENT",
        f"w = «torch.ones(2, requires_grad=True).double()»\nloss = (w * w).sum()\n{END}",
        f"w = torch.ones(2).double().requires_grad_()\nloss = (w * w).sum()\n{END}",
    ),
    "missing_zero_grad": Pitfall(
        "STALE_GRADIENT",
        f"{W}optimizer = torch.optim.SGD([w], lr=0.1)\nfor step in range(2):\n"
        "    loss = (w * w).sum()\n    «loss.backward()»\n    optimizer.step()\n",
        f"{W}optimizer = torch.optim.SGD([w], lr=0.1)\nfor step in range(2):\n"
        "    optimizer.zero_grad()\n    loss = (w * w).sum()\n    loss.backward()\n"
        "    optimizer.step()\n",
        fixed=True,
    ),
    "double_softmax": Pitfall(
        "DOUBLE_SOFTMAX",
        f"{W}p = torch.softmax(w, 0)\n"
        f"loss = «nn.functional.cross_entropy(p[None] * 1.0, torch.tensor([1]))»\n{END}".replace(
            "p[None] * 1.0", "p"
        ).replace("torch.tensor([1])", "torch.tensor(1)"),
        f"{W}loss = nn.functional.cross_entropy(w, torch.tensor(1))\n{END}",
    ),
    "sqrt_at_zero": Pitfall(
        "INF_LOCAL", f"w = torch.tensor([0.0, 4.0], requires_grad=True)\nloss = «torch.sqrt(w)».sum()\n{END}",
        f"{W}loss = torch.sqrt(w).sum()\n{END}", fixed=True,
    ),
    "norm_by_hand": Pitfall(
        "INF_LOCAL",
        f"w = torch.zeros(2, requires_grad=True)\nloss = «torch.sqrt((w * w).sum())»\n{END}",
        f"{W}loss = torch.sqrt((w * w).sum())\n{END}", fixed=True,
    ),
    "log_of_zero": Pitfall(
        "INF_LOCAL", f"w = torch.tensor([0.0, 4.0], requires_grad=True)\nloss = «torch.log(w)».sum()\n{END}",
        f"{W}loss = torch.log(w).sum()\n{END}", fixed=True,
    ),
    "where_and_log": Pitfall(
        "ZERO_TIMES_INF",
        "w = torch.tensor([0.0, 4.0], requires_grad=True)\n"
        f"loss = torch.where(w > 0, «torch.log(w)», torch.zeros_like(w)).sum()\n{END}",
        f"{W}loss = torch.where(w > 0, torch.log(w), torch.zeros_like(w)).sum()\n{END}", fixed=True,
    ),
    "exp_overflow": Pitfall(
        "OVERFLOW",
        "w = torch.tensor([1000.0, 4.0], requires_grad=True)\n"
        f"loss = torch.log(«torch.exp(w)».sum())\n{END}",
        f"w = torch.tensor([1000.0, 4.0], requires_grad=True)\nloss = torch.logsumexp(w, 0)\n{END}",
    ),
    "clamp": Pitfall(
        "SATURATED",
        "w = torch.tensor([-3.0, -4.0], requires_grad=True)\n"
        f"loss = «torch.clamp(w, 0.0, 1.0)».sum()\n{END}",
        "w = torch.tensor([0.3, 0.4], requires_grad=True)\n"
        f"loss = torch.clamp(w, 0.0, 1.0).sum()\n{END}",
    ),
    "sigmoid_stack": Pitfall(
        "VANISHING", f"{W}y = w\nfor layer in range(20):\n    y = «torch.sigmoid(y)»\nloss = y.sum()\n{END}",
        f"{W}y = w\nfor layer in range(2):\n    y = torch.sigmoid(y)\nloss = y.sum()\n{END}",
    ),
    "growing_recurrence": Pitfall(
        "EXPLODING", f"{W}y = w\nfor step in range(100):\n    y = y * 3.0\nloss = y.sum() * 1e-30\n{END}",
        f"{W}y = w\nfor step in range(100):\n    y = y * 1.001\nloss = y.sum()\n{END}",
    ),
    "detach_of_itself": Pitfall(
        "STOPPED", f"{W}{V}h = w * 3.0\nh = «h.detach()»\nloss = (h * v).sum()\n{END}",
        f"{W}{V}h = w * 3.0\nlog = h.detach()\nloss = (h * v).sum()\n{END}", fixed=True,
    ),
    "tensor_of_a_tensor": Pitfall(
        "STOPPED", f"{W}{V}h = «torch.tensor(w * 3.0)»\nloss = (h * v).sum()\n{END}",
        f"{W}{V}h = (w * 3.0).clone()\nloss = (h * v).sum()\n{END}", fixed=True,
    ),
    "parameter_of_a_tensor": Pitfall(
        "COPIED_VALUE", f"{W}{V}h = nn.Parameter(w * 3.0)\nloss = (h * v).sum()\n{END}",
        f"w = nn.Parameter(torch.ones(2) * 3.0)\n{V}loss = (w * v).sum()\n{END}",
    ),
    "sample": Pitfall(
        "SAMPLER",
        f"{W}{V}noisy = «torch.distributions.Normal(w, 1.0).sample()»\nloss = (noisy * v).sum()\n{END}",
        f"{W}{V}noisy = torch.distributions.Normal(w, 1.0).rsample()\nloss = (noisy * v).sum()\n{END}",
        fixed=True,
    ),
    "inference_mode": Pitfall(
        "RECORDING_PAUSED",
        f"{W}{V}with torch.inference_mode():\n    h = «torch.sin(w)»\nloss = (h + v).sum()\n{END}",
        f"{W}{V}with torch.inference_mode():\n    log = torch.sin(w)\nloss = (torch.sin(w) + v).sum()\n{END}",
    ),
    "write_under_no_grad": Pitfall(
        "RECORDING_PAUSED",
        f"{W}{V}h = torch.zeros(2)\nwith torch.no_grad():\n    «h[0]» = w[0]\nloss = (h * v).sum()\n{END}",
        f"{W}{V}h = torch.zeros(2)\nh[0] = w[0]\nloss = (h * v).sum()\n{END}",
    ),
    "numpy_round_trip": Pitfall(
        "LEFT_ENGINE",
        f"import numpy as np\n{W}{V}a = np.exp(«w.detach().numpy()»)\n"
        f"loss = (torch.from_numpy(a) * v).sum()\n{END}",
        f"import numpy as np\n{W}{V}a = np.exp(w.detach().numpy())\n"
        f"loss = (torch.exp(w) * torch.from_numpy(a) * v).sum()\n{END}",
    ),
    "function_that_returns_none": Pitfall(
        "NON_DIFFERENTIABLE",
        f"{DOUBLE.replace('RETURNED', 'None')}{W}{V}loss = («Double.apply(w) * v»).sum()\n{END}",
        f"{DOUBLE.replace('RETURNED', 'dy * 2.0')}{W}{V}loss = (Double.apply(w) * v).sum()\n{END}",
    ),
    "hook_that_zeroes": Pitfall(
        "HOOKED_GRADIENT", f"{W}w.register_hook(lambda g: g * 0.0)\nloss = (w * w).sum()\n«{END[:-1]}»\n",
        f"{W}w.register_hook(lambda g: g.clamp(-1.0, 1.0))\nloss = (w * w).sum()\n{END}",
    ),
    "cleared_before_the_step": Pitfall(
        "CLEARED_GRADIENT",
        f"{W}optimizer = torch.optim.SGD([w], lr=0.1)\nfor step in range(2):\n"
        "    loss = (w * w).sum()\n    loss.backward()\n    «optimizer.zero_grad()»\n"
        "    optimizer.step()\n",
        f"{W}optimizer = torch.optim.SGD([w], lr=0.1)\nfor step in range(2):\n"
        "    loss = (w * w).sum()\n    loss.backward()\n    optimizer.step()\n"
        "    optimizer.zero_grad()\n",
        fixed=True,
    ),
    "leaf_rebound_to_a_result": Pitfall(
        "REBOUND_TO_TENSOR",
        f"{W}for step in range(2):\n    loss = (w * w).sum()\n    loss.backward()\n    w = «w - 0.1 * w.grad»\n",
        f"{W}for step in range(2):\n    loss = (w * w).sum()\n    loss.backward()\n"
        "    with torch.no_grad():\n        w -= 0.1 * w.grad\n    w.grad = None\n",
        fixed=True,
    ),
    "sigmoid_and_logits": Pitfall(
        "DOUBLE_SOFTMAX",
        f"{W}p = torch.sigmoid(w)\nloss = «nn.functional.binary_cross_entropy_with_logits(p, torch.ones(2))»\n{END}",
        f"{W}p = torch.sigmoid(w)\nloss = nn.functional.binary_cross_entropy(p, torch.ones(2))\n{END}",
    ),
    "half_underflow": Pitfall(
        "UNDERFLOW",
        f"{W}h = «w.half() * 1e-4»\nloss = h.float().sum() * 1e-5\n{END}",
        f"{W}h = w.half() * 1e-4\nloss = h.float().sum() * 100.0\n{END}",
    ),
    "broadcast_loss": Pitfall(
        "UNINTENDED_BROADCAST",
        f"{W}{V}predicted = torch.ones(2, 1) * w.sum()\nloss = ((«predicted - v») ** 2).mean()\n{END}",
        f"{W}{V}predicted = torch.ones(2, 1) * w.sum()\nloss = ((predicted - v[:, None]) ** 2).mean()\n{END}",
    ),
    "compiled_detach": Pitfall(
        "STOPPED",
        f"@torch.compile(backend='eager')\ndef f(x):\n    return «x.detach()» * 2.0\n{W}{V}loss = (f(w) * v).sum()\n{END}",
        f"@torch.compile(backend='eager')\ndef f(x):\n    return x * 2.0\n{W}{V}loss = (f(w) * v).sum()\n{END}",
        fixed=True,
    ),
    "round": Pitfall(
        "NON_DIFFERENTIABLE", f"{W}{V}loss = («torch.round(w)» * v).sum()\n{END}",
        f"{W}{V}r = torch.round(w)\nloss = ((w - r) * v).sum()\n{END}",
    ),
    "in_place_add": Pitfall(
        "OVERWRITTEN_VALUE", f"{W}h = torch.exp(w)\n«h += 1»\nloss = h.sum()\n{END}",
        f"{W}h = torch.sin(w)\nh += 1\nloss = h.sum()\n{END}", fixed=True,
    ),
    "in_place_item": Pitfall(
        "OVERWRITTEN_VALUE", f"{W}h = torch.exp(w)\n«h[0] = 0.0»\nloss = h.sum()\n{END}",
        f"{W}h = torch.exp(w).clone()\nh[0] = 0.0\nloss = h.sum()\n{END}", fixed=True,
    ),
    "in_place_method": Pitfall(
        "OVERWRITTEN_VALUE", f"{W}h = torch.sigmoid(w)\n«h.mul_(2)»\nloss = h.sum()\n{END}",
        f"{W}h = w + 1\nh.mul_(2)\nloss = h.sum()\n{END}", fixed=True,
    ),
    "in_place_argument": Pitfall(
        "OVERWRITTEN_VALUE",
        f"{W}h = torch.sigmoid(w)\n«r = nn.functional.relu(h, inplace=True)»\nloss = r.sum()\n{END}",
        f"{W}h = w * 2\nr = nn.functional.relu(h, inplace=True)\nloss = r.sum()\n{END}", fixed=True,
    ),
    "in_place_through_a_view": Pitfall(
        "OVERWRITTEN_VALUE",
        f"{W}h = torch.exp(w)\nfirst = h[:1]\n«first *= 2»\nloss = h.sum()\n{END}",
        f"{W}h = w + 1\nfirst = h[:1]\nfirst *= 2\nloss = h.sum()\n{END}", fixed=True,
    ),
    "step_before_backward": Pitfall(
        "OVERWRITTEN_VALUE",
        f"{W}{V}optimizer = torch.optim.SGD([v], lr=0.1)\nloss = (w * v).sum()\n"
        f"v.sum().backward()\n«optimizer.step()»\n{END}",
        f"{W}{V}optimizer = torch.optim.SGD([v], lr=0.1)\nloss = (w * v).sum()\n{END}optimizer.step()\n",
    ),
    "backward_twice": Pitfall(
        "FREED_GRAPH", f"{W}loss = (w * w).sum()\nloss.backward()\n«loss.backward()»\n",
        f"{W}loss = (w * w).sum()\nloss.backward(retain_graph=True)\nloss.backward()\n", fixed=True,
    ),
    "two_losses_of_one_graph": Pitfall(
        "FREED_GRAPH",
        f"{W}h = torch.exp(w)\nfirst = h.sum()\nfirst.backward()\nloss = h.prod()\n«{END[:-1]}»\n",
        f"{W}h = torch.exp(w)\nfirst = h.sum()\nloss = first + h.prod()\n{END}", fixed=True,
    ),
    "hidden_state_of_the_step_before": Pitfall(
        "FREED_GRAPH",
        f"{W}h = torch.zeros(2)\nfor step in range(2):\n    h = torch.tanh(h + w)\n    loss = h.sum()\n"
        "    «loss.backward()»\n",
        f"{W}h = torch.zeros(2)\nfor step in range(2):\n    h = torch.tanh(h.detach() + w)\n    loss = h.sum()\n"
        "    loss.backward()\n",
        fixed=True,
    ),
    "loss_of_several_numbers": Pitfall(
        "NOT_SCALAR", f"{W}loss = w * w\n«{END[:-1]}»\n",
        f"{W}loss = w * w\nloss.backward(torch.ones(2))\n", fixed=True,
    ),
}  # fmt: skip
