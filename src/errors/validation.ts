import { serviceError, type ServiceError } from './service-error';

/** One problem of the request: where it is and what is wrong. */
export interface ValidationIssue {
  /** Name of the query parameter, or dotted path of the body field. */
  readonly path: string;
  readonly message: string;
}

/** 422 that reports every problem at once in `details.errors`. */
export function validationError(issues: readonly ValidationIssue[]): ServiceError {
  const reason = issues.map((issue) => `${issue.path} ${issue.message}`).join('; ');
  return serviceError('VALIDATION_ERROR', { reason }, { details: { errors: issues } });
}
