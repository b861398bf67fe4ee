import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import { z } from 'zod';
import { CATALOG, type ErrorCode } from '../../../src/errors/catalog';
import type { OperationResult } from '../../federation/federated-graph';
import { detailsOf, type Failure, failureOfOperation } from '../../rest/failure';

/** An error of an answer: message, and in `extensions` what the error envelope of REST has. */
export interface GraphQLFailure {
  readonly message: string;
  readonly path?: readonly (string | number)[];
  readonly locations?: readonly { readonly line: number; readonly column: number }[];
  readonly extensions: { readonly code: ErrorCode | 'GRAPHQL_PARSE_FAILED'; readonly details?: unknown };
}

/** What a caller sees of a failure; one of ours names its request. */
export function graphqlFailure(failure: Failure, requestId: string): GraphQLFailure {
  const { code, message } = failure;
  const details = detailsOf(failure, requestId);
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

/** The errors that a failure is shown as: an invalid document has one for each problem, with its place. */
export function graphqlFailures(failure: Failure, requestId: string): readonly GraphQLFailure[] {
  const { code } = failure;
  const invalid = code === 'GRAPHQL_VALIDATION_FAILED' ? invalidDocumentSchema.safeParse(failure.details) : undefined;
  if (invalid?.success !== true) return [graphqlFailure(failure, requestId)];
  return invalid.data.errors.map(({ message, locations }) => ({ message, locations, extensions: { code } }));
}

/** What a caller sees of an error of the graph: what has no code of the catalog is masked. */
export function exposeOperationError(
  error: NonNullable<OperationResult['errors']>[number],
  requestId: string,
): GraphQLFailure {
  const { path, locations } = error;
  return {
    ...graphqlFailure(failureOfOperation(error), requestId),
    ...(path === undefined ? {} : { path }),
    ...(locations === undefined ? {} : { locations }),
  };
}

/** The same as an error object, for the pipeline of the GraphQL server; `http` becomes status and headers of the response. */
export const toGraphQLError = ({ message, path, locations, extensions }: GraphQLFailure, http?: object): GraphQLError =>
  new GraphQLError(message, {
    path: path ?? null,
    extensions: { ...extensions, ...(locations && { locations }), ...(http && { http }) },
  });

/** Puts places where they belong: an error object only has those that it finds in a source text itself. */
export function withLocations({ extensions, ...error }: GraphQLFormattedError): GraphQLFormattedError {
  if (extensions?.['locations'] === undefined) return extensions === undefined ? error : { ...error, extensions };
  const { locations, ...others } = extensions;
  return { ...error, locations: locations as NonNullable<GraphQLFailure['locations']>, extensions: others };
}

/** Status of a request whose operation did not run: the draft knows 400 and 415 for what REST calls 422. */
export function graphqlStatus({ status, code, details }: Failure): number {
  if (status !== CATALOG.VALIDATION_ERROR.status || code !== 'VALIDATION_ERROR') return status;
  const problem = JSON.stringify(details ?? null);
  if (problem.includes('"path":"content-type"')) return 415;
  return problem.includes('"path":"authorization"') ? status : 400;
}
