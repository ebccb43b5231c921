"""all-MiniLM-L6-v2, loaded in one go, then safe to share by threads."""

from collections.abc import Sequence
from types import ModuleType
from typing import TYPE_CHECKING, cast

from personal_context.domain.errors import EmbeddingRejected, EmbeddingUnavailable
from personal_context.embeddings.tokens import load_tokenizer
from personal_context.embeddings.vectors import unit
from personal_context.embeddings.windows import even, sendable

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

    from personal_context.embeddings.lane import Run
    from personal_context.ports import Vector


class MiniLM:
    """The loaded model. Making one takes 0.3 s, most of it for importing onnxruntime.

    A computation runs in the thread that asks for it, alone.

    Raises:
        EmbeddingRejected: The model or its runtime can't be loaded on this machine.
    """

    def __init__(self) -> None:
        from personal_context_minilm import MAX_TOKENS

        try:
            self._tokenizer = load_tokenizer()
            self._session = _open_session()
        except Exception as error:  # both libraries raise types of their own, derived from nothing
            raise EmbeddingRejected(
                "The embedded model could not be loaded.",
                hint="Install personal-context anew, or set PERSONAL_CONTEXT_EMBEDDING_PROVIDER "
                "to openai or ollama.",
            ) from error
        self._start = self._tokenizer.token_to_id("[CLS]")
        self._end = self._tokenizer.token_to_id("[SEP]")
        self._window = MAX_TOKENS - 2

    def windows(self, text: str) -> list[list[int]]:
        """Return a text's tokens in windows that fit the model, at least one, maybe empty."""
        ids = self._tokenizer.encode(sendable(text), add_special_tokens=False).ids
        cuts = even(len(ids), self._window)
        return [ids[cut.start : cut.stop] for cut in cuts] or [[]]

    def vector(self, window: Sequence[int], run: "Run | None" = None) -> "Vector":
        """Return the vector of one window: the mean of its tokens' states, at unit length.

        Args:
            window: Tokens, as `windows` gives them.
            run: Stops the computation, from another thread; made by `new_run`.

        Raises:
            EmbeddingRejected: The model's answer to this text is no vector.
            EmbeddingUnavailable: The computation was stopped, or failed, e.g. for want of memory.
        """
        import numpy as np

        ids = np.array([[self._start, *window, self._end]], dtype=np.int64)
        inputs = {"input_ids": ids, "attention_mask": np.ones_like(ids)}
        try:
            [states] = self._session.run(["last_hidden_state"], inputs, run)
        except Exception as error:  # onnxruntime's errors share no base class of their own
            raise EmbeddingUnavailable("The embedded model could not compute a vector.") from error
        try:
            return unit(states[0].mean(axis=0))
        except ValueError as error:
            raise EmbeddingRejected("The embedded model gave no usable vector.") from error


def new_run() -> "Run":
    """Return what stops one computation."""
    run: Run = _onnxruntime().RunOptions()
    return run


def _open_session() -> "InferenceSession":
    from personal_context_minilm import model_path

    onnxruntime = _onnxruntime()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 3  # errors only: its warnings tell users nothing
    session: InferenceSession = onnxruntime.InferenceSession(
        model_path(), options, providers=["CPUExecutionProvider"]
    )
    return session


def _onnxruntime() -> ModuleType:
    """Return the runtime, imported at the first call.

    It imports a part of numpy from inside, before numpy itself. With another thread importing numpy
    just then, each would wait for the other, and Python would hand out a half-made module. So numpy
    comes first, as a whole.
    """
    import numpy as np  # noqa: F401 - see above
    import onnxruntime

    return cast("ModuleType", onnxruntime)
