import type { ValidationIssue } from '../../../src/errors/validation';

/** What coercion finds besides values: every problem, and the names that mean nothing here. */
export interface Findings {
  readonly issues: ValidationIssue[];
  readonly ignored: string[];
}

/** Reads one value that was given at `path`; reports what is wrong with it and then returns `undefined`. */
export type Read = (given: unknown, path: string, findings: Findings) => unknown;

/** `undefined` stands for the value that could not be read. */
export function report(findings: Findings, path: string, message: string): unknown {
  findings.issues.push({ path, message });
  return undefined;
}
