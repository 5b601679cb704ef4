"""Models of the tests on a page: their code, and one step of their training as a live picture."""

from __future__ import annotations

from typing import Any, ClassVar, Final

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.util.parsing import nested_parse_to_nodes

from tests.ui.models import MODELS, TrainedModel
from tools.docs.explorers import FOLDER, Picture
from tools.docs.running import Notebook

HEIGHT: Final = 660
CODE: Final = """\
```python
{step}
```

```{{raw}} html
<details><summary>The rest of the code</summary>
```

{rest}

```{{raw}} html
</details>
```
"""


def model_named(name: str) -> TrainedModel:
    """One of the models; LookupError for any other name."""
    for model in MODELS:
        if model.name == name:
            return model
    raise LookupError(f"No model is called {name}: there are {[each.name for each in MODELS]}.")


def cells_of(model: TrainedModel) -> list[str]:
    """The cells of a model as one would write them in a notebook of its own."""
    first, *rest = model.cells
    return [f"import tapelab as tf\n\n\n{first}", *rest]


def shown(model: TrainedModel) -> Any:
    """Run the cells of a model, and show its first tape."""
    with Notebook(model.name) as notebook:
        for cell in (*cells_of(model), f"tf.show({model.tapes[0]})"):
            notebook.run(cell)
        return notebook.value


class Model(SphinxDirective):
    """Show the step of training, the rest of the code behind a fold, and the live picture."""

    required_arguments = 1
    option_spec: ClassVar[Any] = {"title": directives.unchanged_required}

    def run(self) -> list[nodes.Node]:
        """Run the model; its picture is a file of its own."""
        model = model_named(self.arguments[0])
        *rest, step = cells_of(model)
        code = CODE.format(step=step, rest="\n\n".join(f"```python\n{each}\n```" for each in rest))
        parsed = nested_parse_to_nodes(self.state, code, source=f"<model {model.name}>")
        name = f"{self.env.docname.replace('/', '-')}-{model.name}.html"
        options = {"html": shown(model).to_html(), "file": f"{FOLDER}/{name}", "height": HEIGHT}
        return [*parsed, Picture("", title=self.options["title"], **options)]


def setup(app: Sphinx) -> dict[str, bool]:
    """Give pages the directive."""
    app.add_directive("model", Model)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
