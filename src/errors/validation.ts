import { serviceError, type ServiceError } from './service-error';

/** One problem of the request, with its location. */
export interface ValidationIssue {
  /** Name of the query parameter, or dotted path of the body field. */
  readonly path: string;
  readonly message: string;
}

/** Creates the 422 that reports all problems at once in `details.errors`. */
export function validationError(issues: readonly ValidationIssue[]): ServiceError {
  const reason = issues.map((issue) => `${issue.path} ${issue.message}`).join('; ');
  return serviceError('VALIDATION_ERROR', { reason }, { details: { errors: issues } });
}
