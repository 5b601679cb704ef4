"""How the TensorFlow namespace is put together from its parts.

`lazy_names` says which module defines a name that is loaded when it is first used, `missing_names`
advises on a name that is not there, and `hooks` are the functions of higher layers that lower
ones call. Nothing here imports a part of the namespace when it is loaded.
"""
