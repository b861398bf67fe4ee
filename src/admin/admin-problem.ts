/** Why a command could not be carried out, one line for each reason. */
export class AdminProblem extends Error {
  override readonly name = 'AdminProblem';
  constructor(
    readonly problems: readonly string[],
    /** `usage`: the command line is wrong. `failure`: it is right, and what it asks for did not happen. */
    readonly kind: 'usage' | 'failure',
  ) {
    super(problems.join('\n'));
  }
}
