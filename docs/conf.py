"""The documentation site: Sphinx reads Markdown, and writes pages that ask for nothing outside."""

from tapelab.version import __version__

project = "tapelab"
author = "tapelab contributors"
copyright = "tapelab contributors, BSD-3-Clause"
release = version = __version__

extensions = ["myst_parser", "tools.docs.extension"]
exclude_patterns = ["surface", "README.md"]
myst_enable_extensions = ["dollarmath", "deflist", "attrs_block", "colon_fence"]
myst_heading_anchors = 3
highlight_language = "python"
add_module_names = False
toc_object_entries_show_parents = "hide"

html_theme = "furo"
html_title = "tapelab"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_math_renderer = "mathml"
html_show_sphinx = False
html_copy_source = False
html_show_search_summary = False  # it fetches pages: nothing is fetched from a disk
html_theme_options = {
    name: {
        "color-brand-primary": blue,
        "color-brand-content": blue,
        "color-api-name": blue,
        "color-api-pre-name": "var(--color-foreground-secondary)",
    }
    for name, blue in {"light_css_variables": "#075a99", "dark_css_variables": "#8cc8f7"}.items()
}
html_theme_options["dark_css_variables"]["plot-filter"] = "brightness(0.87)"
pygments_style = "a11y-light"
pygments_dark_style = "a11y-dark"
