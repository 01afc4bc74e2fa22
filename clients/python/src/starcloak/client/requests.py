"""What is asked: the shapes of /openapi.json, for type checkers. At run time they are plain dicts."""

from typing import List, TypedDict, Union


class _Heading(TypedDict, total=False):
    heading_deg: float


class Geographic(_Heading):
    """Degrees (WGS 84), on maps with geographic coordinates."""

    lon: float
    lat: float


class Planar(_Heading):
    """On planar maps, in the map's own units."""

    x: float
    y: float


class OnEdge(_Heading):
    """An edge of the map, and the distance from its first node."""

    edge: int
    offset_m: float


Position = Union[Geographic, Planar, OnEdge]


class Profile(TypedDict, total=False):
    """The privacy asked for; what is missing is the operator's default."""

    k: int
    l: int  # noqa: E741  the name is the service's
    max_hops: int
    max_wait_s: float


class _Request(TypedDict):
    type: str


class Request(_Request, total=False):
    """knn with k, or range with radius_m or radius_s."""

    k: int
    radius_m: float
    radius_s: float
    metric: str
    categories: List[str]


class _Query(TypedDict):
    position: Position
    request: Request


class Query(_Query, total=False):
    profile: Profile
    zone: str
