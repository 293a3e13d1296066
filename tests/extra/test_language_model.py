"""The theorem by autograd on a fresh transformer, the model against itself, and a short repetition of the record."""

from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs the extra lm")

from stdial import DR_GRPO, GRPO, RLOO, Method, group  # noqa: E402
from stdial.training import outcomes, record  # noqa: E402
from stdial.training.language_model import __main__ as script  # noqa: E402
from stdial.training.language_model import arithmetic, transformer  # noqa: E402
from stdial.training.language_model.probe import Group, flat_gradient, identity  # noqa: E402

pytestmark = pytest.mark.extra

SHAPE = transformer.Shape(layers=2, width=32, heads=4)
METHODS = (GRPO, DR_GRPO, RLOO, Method("dial", exponent=0.6, ddof=1, epsilon=1e-4))


@pytest.fixture(scope="module", autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


def fresh(seed: int, dtype: torch.dtype) -> transformer.Weights:
    weights = transformer.new(SHAPE, seed)
    return {name: tensor.to(dtype).requires_grad_(True) for name, tensor in weights.items()}


def drawn(weights: transformer.Weights, size: int, k: int, seed: int) -> Group:
    """A sampled group of a random problem, of which k random answers are called right."""
    pool, _ = arithmetic.held_out_and_pool(60, 6, seed=seed)
    generator = torch.Generator().manual_seed(seed)
    prompt = torch.from_numpy(pool.prompt[seed % len(pool)])
    answers = transformer.sample(weights, SHAPE.heads, prompt[None], size, generator)[0]
    right = np.random.default_rng(seed).permutation(np.arange(size) < k)
    return Group(prompt, answers, right)


class TestTheorem:
    @pytest.mark.parametrize(("dtype", "most"), [(torch.float32, 1e-5), (torch.float64, 1e-12)])
    @pytest.mark.parametrize("size", [2, 5, 8, 16])
    def test_gradient_is_c_times_the_contrast(self, dtype: torch.dtype, most: float, size: int) -> None:
        for k in range(1, size):
            for seed, method in enumerate(METHODS):
                weights = fresh(seed, dtype)
                measured = identity(weights, SHAPE.heads, drawn(weights, size, k, 100 * k + seed), method)
                assert measured.error < most, (k, method)
                assert measured.norm == pytest.approx(
                    float(group.update(k, size, method)) * measured.contrast, rel=10 * most
                )

    @pytest.mark.parametrize("k", [0, 8])
    def test_silent_group_has_no_gradient(self, k: int) -> None:
        weights = fresh(0, torch.float32)
        assert identity(weights, SHAPE.heads, drawn(weights, 8, k, 1), GRPO).norm == 0.0

    def test_gradient_is_the_sum_of_single_answers(self) -> None:
        """The same gradient again, from one backward pass an answer and advantages written out."""
        weights = fresh(3, torch.float64)
        sampled = drawn(weights, 8, 3, 7)
        total = torch.zeros(transformer.numbers(weights), dtype=torch.float64)
        for answer, right in zip(sampled.answers, sampled.right, strict=True):
            logs = transformer.token_logs(weights, SHAPE.heads, sampled.prompt[None], answer[None, None])
            advantage = (float(right) - 3 / 8) / np.sqrt(15 / 64)
            total += advantage * flat_gradient(logs.sum(), weights) / 8
        assert float(total.norm()) == pytest.approx(identity(weights, SHAPE.heads, sampled, GRPO).norm, rel=1e-12)

    def test_conventions_have_their_factors(self) -> None:
        weights = fresh(4, torch.float64)
        sampled = drawn(weights, 8, 2, 9)
        ddof = identity(weights, SHAPE.heads, sampled, Method("ddof 1", ddof=1), theory=GRPO)
        assert ddof.error == pytest.approx(1 / np.sqrt(7 / 8) - 1, rel=1e-9)
        assert ddof.scaled_error < 1e-12
        token_mean = identity(weights, SHAPE.heads, sampled, GRPO, averaging="group")
        assert token_mean.scaled_error < 1e-12

    def test_later_updates_leave_it(self) -> None:
        weights = fresh(5, torch.float64)
        sampled = drawn(weights, 8, 3, 11)
        with torch.no_grad():
            old = transformer.token_logs(weights, SHAPE.heads, sampled.prompt[None], sampled.answers[None])[0]
            generator = torch.Generator().manual_seed(0)
            for tensor in weights.values():
                tensor += 0.003 * torch.randn(tensor.shape, generator=generator, dtype=tensor.dtype)
        moved = identity(weights, SHAPE.heads, sampled, GRPO, old=old)
        assert 1e-4 < moved.unclipped_error < 0.5
        assert identity(weights, SHAPE.heads, sampled, GRPO).error < 1e-12  # at its own ratio 1 it holds again


class TestModel:
    def test_answers_of_a_group_do_not_see_each_other(self) -> None:
        weights = fresh(1, torch.float64)
        pool, _ = arithmetic.held_out_and_pool(12, 6)
        prompts = torch.from_numpy(pool.prompt)
        answers = transformer.sample(weights, SHAPE.heads, prompts, 4, torch.Generator().manual_seed(0))
        together = transformer.token_logs(weights, SHAPE.heads, prompts, answers)
        alone = transformer.token_logs(
            weights, SHAPE.heads, prompts.repeat_interleave(4, 0), answers.reshape(-1, 1, arithmetic.ANSWER)
        )
        assert torch.allclose(together.flatten(0, 1), alone[:, 0], atol=1e-12)

    def test_later_characters_change_nothing_before_them(self) -> None:
        weights = fresh(2, torch.float64)
        prompt = torch.from_numpy(arithmetic.held_out_and_pool(6, 6)[0].prompt[:1])
        first, other = torch.tensor([[[1, 2, 3, 4, 5]]]), torch.tensor([[[1, 2, 9, 9, 9]]])
        logs = [transformer.token_logs(weights, SHAPE.heads, prompt, answer)[0, 0] for answer in (first, other)]
        assert torch.equal(logs[0][:2], logs[1][:2])
        assert not torch.equal(logs[0][3:], logs[1][3:])

    def test_samples_have_the_probabilities_that_the_model_states(self) -> None:
        weights = fresh(3, torch.float32)
        prompt = torch.from_numpy(arithmetic.held_out_and_pool(6, 6)[0].prompt[:1])
        answers = transformer.sample(weights, SHAPE.heads, prompt, 20_000, torch.Generator().manual_seed(1))[0]
        texts, counts = np.unique(answers.numpy(), axis=0, return_counts=True)
        common = np.argsort(-counts)[:10]
        stated = transformer.answer_log_probabilities(
            weights, SHAPE.heads, prompt, torch.from_numpy(texts[common])[None]
        )[0].exp()
        stated = stated.detach().double().numpy()
        assert np.all(np.abs(counts[common] / 20_000 - stated) < 5 * np.sqrt(stated / 20_000))


@pytest.fixture(scope="module")
def repeated(tmp_path_factory: pytest.TempPathFactory) -> record.Record:
    """The first fifty steps of three recorded runs, made again."""
    path: Path = tmp_path_factory.mktemp("record") / "short.parquet"
    names = [f"{method}, exact, adam 0.0003, seed 0" for method in ("GRPO", "DAPO")]
    script.main(
        ["--out", str(path), "--steps", "50", "--without-extras"] + [w for name in names for w in ("--only", name)]
    )
    return record.load(path)


class TestRepetition:
    def test_curves_within_the_stated_tolerance(self, repeated: record.Record) -> None:
        recorded = record.load()
        tolerances = recorded.about["tolerances"]
        for method in ("GRPO", "Dr. GRPO", "DAPO"):
            (old,), (new,) = (outcomes.matching_runs(part, method, seeds=(0,)) for part in (recorded, repeated))
            for split in ("pool", "held out"):
                before = outcomes.curve(recorded, old, split=split)
                after = outcomes.curve(repeated, new, split=split)
                assert after.step[0] == 0
                assert after.step[-1] == 50
                for step, rate in zip(after.step, after.rate, strict=True):
                    assert abs(float(np.interp(step, before.step, before.rate)) - rate) < tolerances["rate"]
            silent = [
                part.steps.take((part.steps.run == run) & (part.steps.step <= 50)).silent.mean()
                for part, run in ((recorded, old), (repeated, new))
            ]
            assert abs(silent[0] - silent[1]) < tolerances["mean_silent"]

    def test_identity_holds_in_it(self, repeated: record.Record) -> None:
        probes = repeated.probes
        assert probes.error[probes.update == 1].max() < 1e-5
