"""The table of recalibrators by name."""

from studies.oracles.bayes import bayes_map
from studies.oracles.common import Fit, Floats, Ints, Map, then_mix
from studies.oracles.linear import affine, matrix, sms, svs, vector
from studies.oracles.plain import constant, identity, kernel
from studies.oracles.temperature import temperature
from studies.oracles.two_class import beta_map, isotonic_map, one_versus_rest, quadratic_map

quadratic = one_versus_rest(quadratic_map)


def logistic(probs: Floats, labels: Ints, weights: Floats) -> Map:
    """Fit `quadratic` for two classes and `sms` for more."""
    return (quadratic if probs.shape[1] == 2 else sms)(probs, labels, weights)


RECALIBRATORS: dict[str, Fit] = {
    "identity": identity,
    "constant": then_mix(constant),
    "temperature": temperature,
    "affine": affine,
    "quadratic": quadratic,
    "beta": one_versus_rest(beta_map),
    "vector": vector,
    "svs": svs,
    "matrix": matrix,
    "sms": sms,
    "logistic": logistic,
    "isotonic": then_mix(one_versus_rest(isotonic_map)),
    "kernel": then_mix(kernel),
    "bayes": then_mix(one_versus_rest(bayes_map)),
}
