import type { ValidationIssue } from '../../../src/errors/validation';

/** Issues and unknown names that coercion collects. */
export interface CoercionFindings {
  readonly issues: ValidationIssue[];
  readonly ignored: string[];
}

/** Reads one value at `path`. Adds an issue and returns `undefined` when the value is refused. */
export type ValueReader = (given: unknown, path: string, findings: CoercionFindings) => unknown;

/** False for null and for an empty string, which clients send for fields that were not filled in. */
export const isGiven = (value: unknown): boolean => value !== undefined && value !== null && value !== '';

/** Returns `undefined` in place of the refused value. */
export function addIssue(findings: CoercionFindings, path: string, message: string): unknown {
  findings.issues.push({ path, message });
  return undefined;
}
