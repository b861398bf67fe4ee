/** The reason why a command failed, one line for each problem. */
export class AdminProblem extends Error {
  override readonly name = 'AdminProblem';
  constructor(
    readonly problems: readonly string[],
    /** `usage`: the command line is wrong. `failure`: the command line is correct, but the command failed. */
    readonly kind: 'usage' | 'failure',
  ) {
    super(problems.join('\n'));
  }
}
