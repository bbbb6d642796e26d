"""Files written to a data set of the Hub, in one commit; the data set is made private if new."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager

from hinter_core.annotation.values import AnnotationError
from hinter_core.errors import InputError


def write_dataset(
    dataset: str,
    files: Mapping[str, bytes],
    message: str,
    *,
    token: str = "",
    public: bool = False,
    gone: Iterable[str] = (),
) -> str:
    """Write files by their path, take out those that are ``gone``; return the commit's address.

    Without a ``token`` that of the environment (``HF_TOKEN``) or of ``hf auth login`` is used.

    Raises:
        AnnotationError: the data set is public and need not be (``public``), or the Hub cannot be
            reached or refuses.
        InputError: nobody is logged in.
    """
    from huggingface_hub import (
        CommitOperationAdd,
        CommitOperationCopy,
        CommitOperationDelete,
        HfApi,
        get_token,
    )

    if not (token or get_token()):
        raise InputError("Set HF_TOKEN to a token that may write, or log in with: hf auth login")
    with named(dataset, token or get_token() or ""):
        api = HfApi(token=token or None)
        api.create_repo(dataset, repo_type="dataset", private=not public, exist_ok=True)
        if not public and not api.dataset_info(dataset).private:
            raise AnnotationError(
                f"The data set {dataset} is public, and names of annotators would be, too; make it "
                "private first."
            )
        operations: list[CommitOperationAdd | CommitOperationCopy | CommitOperationDelete] = [
            CommitOperationAdd(path, body) for path, body in files.items()
        ]
        there = set(api.list_repo_files(dataset, repo_type="dataset")) if gone else set()
        operations += [CommitOperationDelete(path) for path in gone if path in there]
        if not operations:
            return ""
        done = api.create_commit(dataset, operations, commit_message=message, repo_type="dataset")
        return str(done.commit_url)


@contextmanager
def named(dataset: str, token: str) -> Iterator[None]:
    """Whatever keeps us from a data set, in one sentence and without the key.

    Raises:
        AnnotationError: instead of all else.
    """
    try:
        yield
    except (AnnotationError, InputError):
        raise
    except Exception as error:  # of the network, the Hub, the disk
        why = (str(error).strip().splitlines() or [""])[0]
        why = why.replace(token, "***") if token else why
        raise AnnotationError(
            f"The data set {dataset} cannot be used ({type(error).__name__}: {why[:200]}); check "
            "its name, your network, and that the token may write."
        ) from error
