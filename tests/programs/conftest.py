from __future__ import annotations

import pytest

from tests.programs.office import make_workshop
from tools.workshop import Workshop


@pytest.fixture(scope="session")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    return make_workshop(tmp_path_factory.mktemp("office"))
