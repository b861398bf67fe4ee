import { errorResponse } from './error-responses';
import type { JsonSchema } from './json-schema';

const response = (description: string, schema: string): JsonSchema => ({
  description,
  content: { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } },
});

/** For requests without a Host, for example. */
const MALFORMED = errorResponse(400, ['VALIDATION_ERROR']);

const probe = (operationId: string, summary: string, description: string): JsonSchema => ({
  operationId,
  summary,
  description,
  tags: ['Health'],
  security: [],
  responses: { '200': response('Available.', 'Probe'), '400': MALFORMED, '503': response('Unavailable.', 'Probe') },
});

/** Health routes, which require no credential. */
export const HEALTH_PATHS: JsonSchema = {
  '/health': {
    get: {
      operationId: 'health',
      summary: 'State of the service and its dependencies',
      description: 'Public. `degraded` means that the service runs with a dependency missing.',
      tags: ['Health'],
      security: [],
      responses: {
        '200': response('The service accepts requests.', 'Health'),
        '400': MALFORMED,
        '503': response('The service accepts no requests.', 'Health'),
      },
    },
  },
  '/health/live': {
    get: probe('healthLive', 'Liveness of the process', 'For an orchestrator: restart the process when this fails.'),
  },
  '/health/ready': { get: probe('healthReady', 'Readiness for requests', 'For a load balancer.') },
};

export const HEALTH_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  Health: {
    type: 'object',
    required: ['status', 'version', 'uptimeSeconds', 'checks'],
    properties: {
      status: { type: 'string', enum: ['ok', 'degraded'] },
      version: { type: 'string' },
      uptimeSeconds: { type: 'number' },
      checks: {
        type: 'object',
        description:
          'State of each dependency. `quarantined` is the number of blocks, transactions and steps that could not be handled and are retried, `counterDrift` the number of differences that the last recount of histories found and repaired, `index` how far the movements of wallets are recorded on each chain. `webhooks` has the age of the oldest event that could be sent now (`oldestDueSeconds`), the number of parked deliveries (`parked`) and of events without a body because of an error of this service (`failed`). `strategies` has, for each chain whose strategies this process serves, how many were read (`strategies`), contradict the chain (`refused`) and could not be read yet (`waiting`).',
        additionalProperties: true,
      },
    },
  },
  Probe: {
    type: 'object',
    required: ['status'],
    properties: { status: { type: 'string', enum: ['ok', 'unavailable'] } },
  },
};
