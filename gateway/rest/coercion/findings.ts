import type { ValidationIssue } from '../../../src/errors/validation';

/** Issues and unknown names that coercion collects. */
export interface CoercionFindings {
  readonly issues: ValidationIssue[];
  readonly ignored: string[];
}

/** Reads one value at `path`. Adds an issue and returns `undefined` when the value is refused. */
export type ValueReader = (given: unknown, path: string, findings: CoercionFindings) => unknown;

/** Returns `undefined` in place of the refused value. */
export function addIssue(findings: CoercionFindings, path: string, message: string): unknown {
  findings.issues.push({ path, message });
  return undefined;
}
