import { z } from 'zod';
import type { SubgraphError } from './subgraph-error';

/** A subgraph's response. `data` is not validated: merging and projection use only values that fit. */
export interface SubgraphResponse {
  readonly data?: Record<string, unknown> | null | undefined;
  readonly errors?: readonly SubgraphError[] | undefined;
}

const responseSchema = z
  .object({
    data: z.custom<Record<string, unknown>>((data) => typeof data === 'object' && !Array.isArray(data)).optional(),
    errors: z
      .array(
        z.object({
          message: z.string(),
          path: z
            .array(z.union([z.string(), z.number()]))
            .optional()
            .catch(undefined),
          extensions: z.record(z.string(), z.unknown()).optional().catch(undefined),
        }),
      )
      .optional(),
  })
  .refine(({ data, errors }) => data !== undefined || errors !== undefined, 'is not a GraphQL response');

/** @throws ZodError when the body is not a GraphQL response. */
export function parseSubgraphResponse(body: unknown): SubgraphResponse {
  return responseSchema.parse(body);
}
