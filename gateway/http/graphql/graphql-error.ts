import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import { z } from 'zod';
import { CATALOG, type ErrorCode } from '../../../src/errors/catalog';
import type { OperationResult } from '../../federation/federated-graph';
import { failureDetails, type RequestFailure, operationFailure } from '../../edge/failure';

/** An error of a response. `extensions` has the contents of the REST error envelope. */
export interface GraphQLFailure {
  readonly message: string;
  readonly path?: readonly (string | number)[];
  readonly locations?: readonly { readonly line: number; readonly column: number }[];
  readonly extensions: { readonly code: ErrorCode | 'GRAPHQL_PARSE_FAILED'; readonly details?: unknown };
}

/** Formats a failure. With a 5xx status, its details contain the request id. */
export function graphqlFailure(failure: RequestFailure, requestId: string): GraphQLFailure {
  const { code, message } = failure;
  const details = failureDetails(failure, requestId);
  return { message, extensions: details === undefined ? { code } : { code, details } };
}

const invalidDocumentSchema = z.object({
  errors: z.array(
    z.object({
      message: z.string(),
      locations: z.array(z.object({ line: z.number(), column: z.number() })).default([]),
    }),
  ),
});

/** Formats a failure as errors. An invalid document has one error for each problem, with its location. */
export function graphqlFailures(failure: RequestFailure, requestId: string): readonly GraphQLFailure[] {
  const { code } = failure;
  const invalid = code === 'GRAPHQL_VALIDATION_FAILED' ? invalidDocumentSchema.safeParse(failure.details) : undefined;
  if (invalid?.success !== true) return [graphqlFailure(failure, requestId)];
  return invalid.data.errors.map(({ message, locations }) => ({ message, locations, extensions: { code } }));
}

/** Formats an error of the graph. Codes outside the catalog are masked. */
export function exposeOperationError(
  error: NonNullable<OperationResult['errors']>[number],
  requestId: string,
): GraphQLFailure {
  const { path, locations } = error;
  return {
    ...graphqlFailure(operationFailure(error), requestId),
    ...(path === undefined ? {} : { path }),
    ...(locations === undefined ? {} : { locations }),
  };
}

/** Converts to an error object for Apollo Server. `http` sets status and headers of the response. */
export const toGraphQLError = ({ message, path, locations, extensions }: GraphQLFailure, http?: object): GraphQLError =>
  new GraphQLError(message, {
    path: path ?? null,
    extensions: { ...extensions, ...(locations && { locations }), ...(http && { http }) },
  });

/** Moves locations from `extensions` to their place: an error object only has the locations that it finds itself. */
export function withLocations({ extensions, ...error }: GraphQLFormattedError): GraphQLFormattedError {
  if (extensions?.['locations'] === undefined) return extensions === undefined ? error : { ...error, extensions };
  const { locations, ...others } = extensions;
  return { ...error, locations: locations as NonNullable<GraphQLFailure['locations']>, extensions: others };
}

/** Status of a request whose operation was not executed. GraphQL over HTTP has 400 and 415 where REST has 422. */
export function graphqlStatus({ status, code, details }: RequestFailure): number {
  if (status !== CATALOG.VALIDATION_ERROR.status || code !== 'VALIDATION_ERROR') return status;
  const problem = JSON.stringify(details ?? null);
  if (problem.includes('"path":"content-type"')) return 415;
  return problem.includes('"path":"authorization"') ? status : 400;
}
