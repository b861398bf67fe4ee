import type { ValidationIssue } from '../../../src/errors/validation';

/** What coercion finds besides values: every problem, and the names that mean nothing here. */
export interface CoercionFindings {
  readonly issues: ValidationIssue[];
  readonly ignored: string[];
}

/** Reads one value that was given at `path`; reports what is wrong with it and then returns `undefined`. */
export type ValueReader = (given: unknown, path: string, findings: CoercionFindings) => unknown;

/** `undefined` stands for the value that could not be read. */
export function addIssue(findings: CoercionFindings, path: string, message: string): unknown {
  findings.issues.push({ path, message });
  return undefined;
}
