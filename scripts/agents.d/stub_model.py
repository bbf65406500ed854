"""A language model for trials: it plays a plan instead of thinking, and keeps what it was told.

Speaks Anthropic's messages, OpenAI's chat completions and responses, and Gemini's generateContent, on
loopback. A plan is a list of steps: ("search", question) calls the search tool of the notes,
("run", command) runs a command in a shell. The step is chosen by how many results stand in the
conversation already; after the last one, or where the tool is not offered, the turn ends with a word.
"""

import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SHELLS = ("bash", "shell", "shell_command", "exec_command", "local_shell", "run_shell_command")
LAST_WORD = "That is all."


class Model:
    """What was asked, and what is answered to it."""

    def __init__(self, plan):
        self.plan = plan
        self.requests = []
        self.offered = set()
        self.lock = threading.Lock()

    def note(self, body):
        with self.lock:
            self.requests.append(body)

    def choose(self, tools, n_results):
        """Returns the name of a tool and its arguments, or None and the last word. `tools` are
        names with the schemas of their arguments."""
        self.offered |= set(tools)
        kind, what = self.plan[n_results] if n_results < len(self.plan) else ("end", None)
        for name, schema in tools.items():
            if kind == "search" and is_search(name):
                return name, {"query": what}
            if kind == "run" and name.lower() in SHELLS:
                return name, shell_arguments(schema or {}, what)
        return None, LAST_WORD


def is_search(name):
    """Programs put the name of the server before that of the tool, each in its own way."""
    return re.fullmatch(r"(.*kenning_*)?search", name) is not None


def shell_arguments(schema, command):
    properties = schema.get("properties", {})
    name = "cmd" if "cmd" in properties else "command"
    is_list = properties.get(name, {}).get("type") == "array"
    arguments = {name: ["bash", "-c", command] if is_list else command}
    for required in schema.get("required", []):
        arguments.setdefault(required, "prints lines")
    return arguments


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.reply({"object": "list", "data": [{"id": "stub", "object": "model"}], "models": []})

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)) or b"{}")
        path = self.path.split("?")[0]
        if path.endswith("/count_tokens"):
            return self.reply({"input_tokens": 100})
        speak = {"messages": anthropic, "completions": chat, "responses": responses}
        speak = gemini if "enerateContent" in path else speak.get(path.rsplit("/", 1)[-1])
        if speak is None:
            return self.reply({}, status=404)
        self.server.model.note(body)
        is_stream = bool(body.get("stream")) or "streamGenerateContent" in path
        whole, events = speak(self.server.model, body)
        return self.stream(events) if is_stream else self.reply(whole)

    def reply(self, value, kind="application/json", status=200):
        data = value if isinstance(value, bytes) else json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def stream(self, events):
        text = ""
        for event in events:
            name = event.get("type") if isinstance(event, dict) else None
            text += f"event: {name}\n" if name else ""
            text += f"data: {event if isinstance(event, str) else json.dumps(event)}\n\n"
        self.reply(text.encode(), "text/event-stream")


def anthropic(model, body):
    tools = {tool["name"]: tool.get("input_schema") for tool in body.get("tools", []) if "name" in tool}
    blocks = [block for message in body["messages"] if isinstance(message["content"], list)
              for block in message["content"]]
    n_results = sum(block.get("type") == "tool_result" for block in blocks)
    name, said = model.choose(tools, n_results)
    if name:
        block = {"type": "tool_use", "id": f"toolu_{n_results}", "name": name, "input": said}
        start, delta = dict(block, input={}), {"type": "input_json_delta", "partial_json": json.dumps(said)}
    else:
        block = {"type": "text", "text": said}
        start, delta = dict(block, text=""), {"type": "text_delta", "text": said}
    stop = {"stop_reason": "tool_use" if name else "end_turn", "stop_sequence": None}
    usage = {"input_tokens": 10, "output_tokens": 5}
    whole = {"id": "msg_1", "type": "message", "role": "assistant", "model": body.get("model", "stub"),
             "content": [block], "usage": usage, **stop}
    empty = dict(whole, content=[], stop_reason=None)
    return whole, [
        {"type": "message_start", "message": empty},
        {"type": "content_block_start", "index": 0, "content_block": start},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": stop, "usage": usage},
        {"type": "message_stop"},
    ]


def chat(model, body):
    functions = [tool["function"] for tool in body.get("tools", []) if tool.get("type") == "function"]
    tools = {function["name"]: function.get("parameters") for function in functions}
    n_results = sum(message["role"] == "tool" for message in body["messages"])
    name, said = model.choose(tools, n_results)
    message = {"role": "assistant", "content": None if name else said}
    if name:
        function = {"name": name, "arguments": json.dumps(said)}
        message["tool_calls"] = [{"index": 0, "id": f"call_{n_results}", "type": "function", "function": function}]
    finish = "tool_calls" if name else "stop"
    usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    head = {"id": "chat_1", "created": 1, "model": "stub"}
    whole = {**head, "object": "chat.completion", "usage": usage,
             "choices": [{"index": 0, "message": message, "finish_reason": finish}]}
    part = {**head, "object": "chat.completion.chunk"}
    return whole, [
        {**part, "choices": [{"index": 0, "delta": message, "finish_reason": None}]},
        {**part, "choices": [{"index": 0, "delta": {}, "finish_reason": finish}]},
        {**part, "choices": [], "usage": usage},
        "[DONE]",
    ]


def responses(model, body):
    tools, spaces = {}, {}
    for tool in body.get("tools", []):
        for inner in tool.get("tools", []):
            # Tools of a server stand together under its name.
            full = tool["name"] + inner["name"]
            tools[full], spaces[full] = inner.get("parameters"), (tool["name"], inner["name"])
        if "name" in tool and "tools" not in tool:
            tools[tool["name"]] = tool.get("parameters")
    items = [item for item in body.get("input", []) if isinstance(item, dict)]
    n_results = sum(str(item.get("type", "")).endswith("_call_output") for item in items)
    name, said = model.choose(tools, n_results)
    if name:
        item = {"type": "function_call", "id": f"fc_{n_results}", "call_id": f"call_{n_results}",
                "name": name, "arguments": json.dumps(said), "status": "completed"}
        if name in spaces:
            item["namespace"], item["name"] = spaces[name]
    else:
        text = {"type": "output_text", "text": said, "annotations": []}
        item = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [text]}
    usage = {"input_tokens": 10, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 5,
             "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 15}
    whole = {"id": "resp_1", "object": "response", "created_at": 1, "model": body.get("model", "stub"),
             "status": "completed", "output": [item], "usage": usage}
    return whole, [
        {"type": "response.created", "response": dict(whole, status="in_progress", output=[])},
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": whole},
    ]


def gemini(model, body):
    functions = [function for tool in body.get("tools", []) for function in tool.get("functionDeclarations", [])]
    tools = {function["name"]: function.get("parametersJsonSchema") or function.get("parameters")
             for function in functions}
    parts = [part for content in body.get("contents", []) for part in content.get("parts", [])]
    n_results = sum("functionResponse" in part for part in parts)
    name, said = model.choose(tools, n_results)
    part = {"functionCall": {"id": f"call_{n_results}", "name": name, "args": said}} if name else {"text": said}
    whole = {"candidates": [{"index": 0, "content": {"role": "model", "parts": [part]}, "finishReason": "STOP"}],
             "usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15},
             "modelVersion": "stub"}
    return whole, [whole]


def serve(plan):
    """Starts a model on a free port of loopback; returns it and its address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.model = Model(plan)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.model, f"http://127.0.0.1:{server.server_port}"
