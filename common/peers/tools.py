"""PyTorch and Triton, as far as this Python has them; nothing here fails without them."""

import importlib
from dataclasses import dataclass
from types import ModuleType


@dataclass(frozen=True)
class Tool:
    """A module that may be missing: then ``module`` is None, and ``missing`` says why."""

    module: ModuleType | None
    missing: str = ""

    @property
    def version(self) -> str | None:
        """Return what the module calls its version; None without one."""
        return None if self.module is None else str(getattr(self.module, "__version__", "?"))


def one_line(error: BaseException) -> str:
    """Return the first line of an exception's text, or its type's name if it has none."""
    lines = str(error).strip().splitlines()
    return lines[0].strip() if lines else type(error).__name__


def load(name: str, what: str) -> Tool:
    """Import a module; a broken installation is a sentence as well."""
    try:
        return Tool(importlib.import_module(name))
    except ModuleNotFoundError as error:
        if error.name == name:
            return Tool(None, f"this Python has no {what}; name one that has with --python PATH")
        return Tool(None, f"{what} cannot be imported here: {one_line(error)}")
    except Exception as error:  # whatever a broken library raises
        return Tool(None, f"{what} cannot be imported here: {one_line(error)}")


def _with_gpu(tool: Tool) -> Tool:
    """Return the tool as missing if PyTorch can use no GPU."""
    if tool.module is None:
        return tool
    try:
        if tool.module.cuda.is_available():
            return tool
        why = "PyTorch sees no GPU here"
        if getattr(tool.module.version, "cuda", None) is None:
            why = "this PyTorch is built without CUDA"
    except Exception as error:
        why = f"PyTorch cannot use the GPU: {one_line(error)}"
    return Tool(None, why)


torch_alone = load("torch", "PyTorch")  # whether or not there is a GPU, for its version
torch = _with_gpu(torch_alone)
triton = load("triton", "Triton") if torch.module else Tool(None, torch.missing)
triton_language = load("triton.language", "Triton") if triton.module else triton
