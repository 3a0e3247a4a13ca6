"""Runs HELM with its own model for trials, which says how sure it is: `python -m ... SUITE`.

The model gives no log-probabilities; here they are drawn, so that there is something to measure.
"""

import random
import sys
from dataclasses import replace

from helm.benchmark.run import main
from helm.clients.simple_client import SimpleClient
from helm.common.request import Request, RequestResult

chance = random.Random(0)
plain = SimpleClient.make_request


def sure(self: SimpleClient, request: Request) -> RequestResult:
    """Answer as ever, with log-probabilities."""
    result = plain(self, request)
    answers = []
    for answer in result.completions:
        tokens = [replace(token, logprob=-chance.random()) for token in answer.tokens]
        answers.append(
            replace(answer, tokens=tokens, logprob=sum(token.logprob for token in tokens))
        )
    return replace(result, completions=answers)


if __name__ == "__main__":
    if "--sure" in sys.argv:
        sys.argv.remove("--sure")
        SimpleClient.make_request = sure
    main()
