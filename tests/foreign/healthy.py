"""PyTorch programs whose gradient of `loss` with respect to `w` is as it should be."""

# ruff: noqa: E501 - one program a line
from __future__ import annotations

from textwrap import dedent
from typing import Final

VECTOR: Final = "w = torch.tensor([0.5, 1.5, 0.8], requires_grad=True)\n"
END: Final = "loss.backward()\n"

EXPRESSIONS: Final = {
    "sum_of_squares": "loss = (w * w).sum()",
    "mean": "loss = w.mean()",
    "norm": "loss = w.norm()",
    "exp_and_log": "loss = torch.log(torch.exp(w).sum())",
    "logsumexp": "loss = torch.logsumexp(w, 0)",
    "softmax": "loss = (torch.softmax(w, 0) * torch.arange(3.0)).sum()",
    "log_softmax_and_nll": "loss = nn.functional.nll_loss(w.log_softmax(0)[None], torch.tensor([1]))",
    "cross_entropy": "loss = nn.functional.cross_entropy(w[None], torch.tensor([2]))",
    "bce_with_logits": "loss = nn.functional.binary_cross_entropy_with_logits(w, torch.ones(3))",
    "mse": "loss = nn.functional.mse_loss(w, torch.ones(3))",
    "huber": "loss = nn.functional.huber_loss(w, torch.zeros(3))",
    "maximum": "loss = torch.maximum(w, torch.tensor(1.0)).sum()",
    "where_on_values": "loss = torch.where(w > 0.7, w, w * w).sum()",
    "safe_log": "loss = torch.log(torch.where(w > 0, w, torch.ones_like(w))).sum()",
    "indexing": "loss = w[1] * w[0]",
    "slicing": "loss = (w[1:] - w[:-1]).pow(2).sum()",
    "gather": "loss = w.gather(0, torch.tensor([0, 0, 2])).sum()",
    "index_select": "loss = w.index_select(0, torch.tensor([2, 1])).sum()",
    "cat": "loss = torch.cat([w, w * 2]).sum()",
    "stack": "loss = torch.stack([w, w.sin()]).prod(0).sum()",
    "unbind": "a, b, c = w.unbind()\nloss = a * b + c",
    "split": "a, b = w.split([1, 2])\nloss = a.sum() * b.sum()",
    "max_over_an_axis": "values, places = w.max(0)\nloss = values * 2",
    "sort_values": "loss = (w.sort().values * torch.arange(3.0)).sum()",
    "topk_values": "loss = w.topk(2).values.sum()",
    "cumsum": "loss = w.cumsum(0).sum()",
    "matmul": "loss = (torch.ones(2, 3) @ w).sum()",
    "einsum": "loss = torch.einsum('i,j->', w, w)",
    "outer": "loss = torch.outer(w, w).trace()",
    "cholesky": "loss = torch.linalg.cholesky(torch.diag(w)).sum()",
    "solve": "loss = torch.linalg.solve(torch.diag(w), torch.ones(3)).sum()",
    "view_and_transpose": "loss = (w.view(1, 3).t() * w).sum()",
    "expand": "loss = (w.expand(4, 3) * 2.0).sum()",
    "dropout": "loss = nn.functional.dropout(w, 0.1).sum() + w.sum()",
    "gelu": "loss = nn.functional.gelu(w).sum()",
    "complex_modulus": "loss = torch.view_as_complex(torch.stack([w, w], -1)).abs().sum()",
    "cast_to_double_and_back": "loss = (w.double() * 2).float().sum()",
    "in_place_on_a_result": "h = w * 2\nh += 1\nloss = (h * w).sum()",
    "in_place_relu": "h = w * 2\nh.relu_()\nloss = h.sum()",
    "write_into_zeros": "h = torch.zeros(3)\nh[1] = w[0]\nloss = (h * 3).sum()",
    "detached_copy_for_a_log": "log = (w * 2).detach()\nloss = (w * 2).sum()",
    "detached_target": "loss = ((w * 2 - (w * 2).detach() - 1) ** 2).sum()",
    "straight_through": "loss = (w + (w.round() - w).detach()).sum()",
    "item_for_a_print": "loss = (w * w).sum()\nshown = loss.item()",
    "numpy_for_a_plot": "h = w * w\nshown = h.detach().numpy()\nloss = h.sum()",
    "branch_on_a_value": "loss = w.sum() if w.sum() > 0 else (w * 2).sum()",
    "argmax_for_accuracy": "right = w.argmax() == 1\nloss = (w * w).sum()",
    "custom_loop": "h = w\nfor step in range(4):\n    h = torch.tanh(h + w)\nloss = h.sum()",
    "hook_that_reads": "norms = []\nw.register_hook(lambda g: norms.append(g.norm()))\nloss = w.sum()",
    "retained_intermediate": "h = w * 3\nh.retain_grad()\nloss = h.sum()",
    "embedding": "loss = nn.functional.embedding(torch.tensor([0, 2]), w[:, None]).sum()",
    "convolution": "loss = nn.functional.conv1d(torch.ones(1, 1, 5), w[None, None]).sum()",
    "interpolation": "loss = nn.functional.interpolate(w[None, None], scale_factor=2.0).sum()",
}  # fmt: skip

PROGRAMS: Final = {
    "accumulation_over_two_batches": """
        w = torch.tensor([0.5, 1.5], requires_grad=True)
        optimizer = torch.optim.SGD([w], lr=0.1)
        for step in range(4):
            loss = (w * w).sum() / 2
            loss.backward()
            if step % 2:
                optimizer.step()
                optimizer.zero_grad()
    """,
    "adam_with_clipping": """
        model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
        w = model[0].weight
        optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
        x = torch.randn(5, 3)
        for step in range(2):
            optimizer.zero_grad()
            loss = model(x).pow(2).mean()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
    """,
    "update_by_hand": """
        w = torch.tensor([0.5, 1.5], requires_grad=True)
        for step in range(2):
            loss = (w * w).sum()
            loss.backward()
            with torch.no_grad():
                w -= 0.1 * w.grad
            w.grad = None
    """,
    "residual_network": """
        class Block(nn.Module):
            def __init__(self, width):
                super().__init__()
                self.conv = nn.Conv2d(width, width, 3, padding=1)
                self.norm = nn.BatchNorm2d(width)

            def forward(self, x):
                return x + torch.relu(self.norm(self.conv(x)))

        model = nn.Sequential(Block(2), nn.MaxPool2d(2), Block(2), nn.Flatten(), nn.Linear(8, 3))
        w = model[0].conv.weight
        logits = model(torch.randn(2, 2, 4, 4))
        loss = nn.functional.cross_entropy(logits, torch.tensor([0, 2]))
        loss.backward()
    """,
    "unet": """
        down, up = nn.Conv2d(1, 2, 3, 2, 1), nn.ConvTranspose2d(2, 1, 4, 2, 1)
        last = nn.Conv2d(2, 1, 1)
        w = down.weight
        x = torch.randn(1, 1, 4, 4)
        loss = last(torch.cat([x, up(torch.tanh(down(x)))], 1)).pow(2).mean()
        loss.backward()
    """,
    "transformer": """
        model = nn.TransformerEncoderLayer(4, 2, 8, batch_first=True, dropout=0.0)
        w = model.linear1.weight
        loss = (model(torch.randn(2, 3, 4)) * torch.randn(2, 3, 4)).sum()
        loss.backward()
    """,
    "lstm": """
        model = nn.LSTM(2, 3, batch_first=True)
        w = model.weight_ih_l0
        out, (hidden, cell) = model(torch.randn(2, 4, 2))
        loss = out.pow(2).sum() + cell.sum()
        loss.backward()
    """,
    "discriminator_step_of_a_gan": """
        generator, critic = nn.Linear(2, 2), nn.Linear(2, 1)
        w = critic.weight
        fake = generator(torch.randn(3, 2)).detach()
        loss = critic(fake).mean() - critic(torch.randn(3, 2)).mean()
        loss.backward()
    """,
    "generator_step_of_a_gan": """
        generator, critic = nn.Linear(2, 2), nn.Linear(2, 1)
        w = generator.weight
        for parameter in critic.parameters():
            parameter.requires_grad_(False)
        loss = -critic(generator(torch.randn(3, 2))).mean()
        loss.backward()
    """,
    "custom_function": """
        class Cube(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x)
                return x ** 3

            @staticmethod
            def backward(ctx, dy):
                (x,) = ctx.saved_tensors
                return dy * 3 * x ** 2

        w = torch.tensor([0.5, 1.5], requires_grad=True)
        loss = Cube.apply(w).sum()
        loss.backward()
    """,
    "checkpointing": """
        from torch.utils.checkpoint import checkpoint

        w = torch.tensor([0.5, 1.5], requires_grad=True)
        loss = checkpoint(lambda x: torch.tanh(x * 2).exp(), w, use_reentrant=False).sum()
        loss.backward()
    """,
    "gradient_penalty": """
        critic = nn.Linear(2, 1)
        w = critic.weight
        x = torch.randn(3, 2, requires_grad=True)
        (derivative,) = torch.autograd.grad(critic(x).sin().sum(), x, create_graph=True)
        loss = (derivative.norm(dim=1) - 1).pow(2).mean()
        loss.backward()
    """,
}

HEALTHY: Final = {
    **{name: f"{VECTOR}{text}\n{END}" for name, text in EXPRESSIONS.items()},
    **{name: dedent(text).strip("\n") + "\n" for name, text in PROGRAMS.items()},
}
"""All of them by their names."""
