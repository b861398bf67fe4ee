/** The service did not behave as it must. */
export class ChaosFailure extends Error {
  override readonly name = 'ChaosFailure';
}

/** @throws ChaosFailure */
export function requireThat(condition: boolean, problem: string): asserts condition {
  if (!condition) throw new ChaosFailure(problem);
}
