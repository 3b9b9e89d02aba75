"""The address under which the director takes a board out of the room, or puts it back."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from room.hub.hub import Hub
from room.web.access import Access
from room.web.acts import RequestError, check_director, check_parameters
from room.web.answers import json_answer


def taken_out_routes(hub: Hub, access: Access) -> list[Route]:
    """Return the address; `access` knows the director's token."""

    async def act(request: Request) -> Response:
        check_parameters(request)
        check_director(request, access)
        places, wanted = hub.register.places(), request.path_params["board"]
        key = next((place.key for id_, place in places if id_ == wanted and not place.hall), None)
        if key is None:  # those of another hall its own hub takes out
            raise RequestError(404, "no such board")
        is_out, out = request.method == "POST", hub.register.taken_out
        (out.add if is_out else out.discard)(key)
        hub.store.keep_taken_out([key], are_out=is_out)
        hub.register.touch([key])
        hub.update()
        return json_answer(hub.register.boards[wanted])

    return [Route("/api/taken_out/{board}", act, methods=["POST", "DELETE"])]
