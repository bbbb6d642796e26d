"""Copy annotation projects to a private data set of the Hugging Face Hub; where projects lie."""

import hashlib
import os
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

from hinter_core.annotation.project.people import ERASED
from hinter_core.annotation.project.store import opened
from hinter_core.annotation.project.types import AnnotationError
from hinter_core.errors import HinterError, InputError
from hinter_core.storage import (
    SPACE_VOLUME,
    data_place,
    make_private,
    mirrored_folder,
    snapshot,
    write_whole,
)

FOLDER, DATASET, TOKEN = "HINTER_ANNOTATIONS", "HINTER_ANNOTATIONS_DATASET", "HF_TOKEN"
ENDING = ".sqlite"
_EVERY = 300.0  # seconds between two checks for changes
_FOLDER_THERE = "projects"  # in the data set


def annotations_folder() -> Path:
    """Return the projects' folder: ``HINTER_ANNOTATIONS``, or among all data."""
    return data_place("annotations", FOLDER)


def lost_at_restart(setting: str, volume: Path = SPACE_VOLUME) -> bool:
    """Whether the app is a Space without a bucket for the data whose place ``setting`` names."""
    kept = mirrored_folder(volume) is not None and not os.environ.get(setting)
    return bool(os.environ.get("SPACE_ID")) and not kept


def lasting_warning(volume: Path = SPACE_VOLUME) -> str:
    """Return a warning if projects are lost when the Space restarts, else ""."""
    dataset = os.environ.get(DATASET)
    if not lost_at_restart(FOLDER, volume) or (dataset and os.environ.get(TOKEN)):
        return ""
    if dataset:
        return (
            f"{DATASET} is set, but {TOKEN} is not: nothing is copied, and the projects are gone "
            "when the Space restarts. Add a token that may write to that data set as a secret."
        )
    return (
        "Projects on this Space are gone when it restarts. Mount a bucket at /data, or let them be "
        f"copied to a private data set ({DATASET}=ORG/NAME with the secret {TOKEN}); until then, "
        "export what was judged before you leave."
    )


def write_dataset(
    dataset: str,
    files: Mapping[str, bytes],
    message: str,
    *,
    token: str = "",
    public: bool = False,
    gone: Iterable[str] = (),
) -> str:
    """Write files by path and delete those in ``gone``, in one commit; return its address.

    A new data set is private unless ``public``. Without ``token``, that of ``HF_TOKEN`` or
    ``hf auth login`` is used.

    Raises:
        AnnotationError: the data set is public without ``public``, or the Hub fails or refuses.
        InputError: there is no token.
    """
    from huggingface_hub import CommitOperationAdd, CommitOperationDelete, HfApi, get_token

    token = token or get_token() or ""
    if not token:
        raise InputError("Set HF_TOKEN to a token that may write, or log in with: hf auth login")
    with _in_words(dataset, token):
        api = HfApi(token=token)
        api.create_repo(dataset, repo_type="dataset", private=not public, exist_ok=True)
        if not public and not api.dataset_info(dataset).private:
            raise AnnotationError(
                f"The data set {dataset} is public, and names of annotators would be, too; make it "
                "private first."
            )
        there = set(api.list_repo_files(dataset, repo_type="dataset")) if gone else set()
        operations: list[Any] = [CommitOperationAdd(path, body) for path, body in files.items()]
        operations += [CommitOperationDelete(path) for path in gone if path in there]
        if not operations:
            return ""
        done = api.create_commit(dataset, operations, commit_message=message, repo_type="dataset")
        return str(done.commit_url)


@contextmanager
def _in_words(dataset: str, token: str) -> Iterator[None]:
    """Turn every error about a data set but InputError into one sentence without the token."""
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


def _erased(path: Path) -> bool:
    """Whether somebody was erased from a project since its copies were rewritten."""
    try:
        with opened(path) as store, store.read() as connection:
            query = "SELECT 1 FROM meta WHERE key = ?"
            return connection.execute(query, (ERASED,)).fetchone() is not None
    except AnnotationError:  # of a version that erases nobody
        return False


class Backup:
    """Copies the projects of a folder to a data set of the Hub, and back if the folder is empty.

    ``problem``: why the last copy failed, or "".
    """

    def __init__(self, folder: Path, dataset: str, token: str, every: float = _EVERY) -> None:
        self.folder, self.dataset = folder, dataset
        self.problem = ""
        self._token, self._every = token, every
        self._sent: dict[str, str] = {}  # digests of the files in the data set, by name
        self._gone: set[str] = set()  # names of projects deleted here
        self._restored = False
        self._copying = threading.Lock()
        self._over = threading.Event()
        self._thread: threading.Thread | None = None

    @classmethod
    def from_environment(cls) -> Self | None:
        """Create the backup that the environment configures, if any."""
        dataset, token = os.environ.get(DATASET, ""), os.environ.get(TOKEN, "")
        return cls(annotations_folder(), dataset, token) if dataset and token else None

    def start(self) -> None:
        """Restore projects if the folder is empty, and copy changes until :meth:`close`."""
        self._restored = self._safely(self.restore)
        if self._thread is None:
            self._thread = threading.Thread(target=self._go_on, name="keeper", daemon=True)
            self._thread.start()

    def close(self) -> None:
        """Copy the changes and stop."""
        self._over.set()
        if self._thread is not None:
            self._thread.join(self._every)
            self._safely(self.copy)

    def _go_on(self) -> None:
        while not self._over.wait(self._every):
            self._restored = self._restored or self._safely(self.restore)
            self._safely(self.copy)

    def _safely(self, act: Callable[[], object]) -> bool:
        try:
            act()
        except HinterError as error:
            moment = datetime.now(UTC).isoformat(timespec="seconds")
            self.problem = f"{error} (Tried at {moment}; what is judged stays on this machine.)"
            return False
        return True

    def restore(self) -> list[Path]:
        """Copy the projects of the data set into an empty folder; return their paths.

        Raises:
            AnnotationError: the Hub fails or refuses.
        """
        if self._projects():
            return []
        with _in_words(self.dataset, self._token), tempfile.TemporaryDirectory() as place:
            from huggingface_hub import snapshot_download
            from huggingface_hub.errors import RepositoryNotFoundError

            try:
                there = snapshot_download(
                    self.dataset, repo_type="dataset", token=self._token, local_dir=place,
                    allow_patterns=[f"{_FOLDER_THERE}/*{ENDING}"],
                )  # fmt: skip
            except RepositoryNotFoundError:
                return []  # created at the first copy
            make_private(self.folder)
            for path in (Path(there) / _FOLDER_THERE).glob(f"*{ENDING}"):
                content = path.read_bytes()
                with write_whole(self.folder / path.name) as part:
                    part.write_bytes(content)
                self._sent[path.name] = hashlib.sha256(content).hexdigest()
        return self._projects()

    def forget(self, path: Path) -> None:
        """Delete a removed project from the data set at the next copy; its history stays."""
        self._gone.add(path.name)

    def copy(self) -> list[str]:
        """Copy every changed project; return their names.

        Raises:
            AnnotationError: the Hub fails or refuses, or the data set is public.
        """
        with self._copying, _in_words(self.dataset, self._token):
            changed, digests = dict[str, bytes](), dict[str, str]()
            for path in self._projects():
                content = snapshot(path)
                digests[path.name] = hashlib.sha256(content).hexdigest()
                if self._sent.get(path.name) != digests[path.name]:
                    changed[path.name] = content
            gone = self._gone - set(digests)
            if changed or gone:
                files = {f"{_FOLDER_THERE}/{name}": body for name, body in changed.items()}
                message = f"Annotations: {', '.join(sorted({*changed, *gone}))}"[:200]
                deleted = [f"{_FOLDER_THERE}/{name}" for name in sorted(gone)]
                write_dataset(self.dataset, files, message, token=self._token, gone=deleted)
                self._gone -= gone
                self._sent |= {name: digests[name] for name in changed}
            self._forget_erased()
            self.problem = ""
            return list(changed)

    def _forget_erased(self) -> None:
        """Rewrite the data set's history if somebody was erased, so that no copy is left in it."""
        marked = [path for path in self._projects() if _erased(path)]
        if not marked:
            return
        from huggingface_hub import HfApi

        api = HfApi(token=self._token)
        api.super_squash_history(self.dataset, repo_type="dataset")
        there = api.list_lfs_files(self.dataset, repo_type="dataset")
        current = set(self._sent.values())
        old = [
            one for one in there
            if one.file_oid not in current and one.filename.startswith(f"{_FOLDER_THERE}/")
        ]  # fmt: skip
        api.permanently_delete_lfs_files(self.dataset, old, repo_type="dataset")
        for path in marked:
            with opened(path) as store, store.write() as connection:
                connection.execute("DELETE FROM meta WHERE key = ?", (ERASED,))

    def _projects(self) -> list[Path]:
        return sorted(self.folder.glob(f"*{ENDING}"))
