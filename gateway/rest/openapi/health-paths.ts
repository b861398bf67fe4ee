import { errorResponse } from './error-responses';
import type { JsonSchema } from './json-schema';

const answer = (description: string, schema: string): JsonSchema => ({
  description,
  content: { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } },
});

/** Even here: a request without a Host. */
const MALFORMED = errorResponse(400, ['VALIDATION_ERROR']);

const probe = (operationId: string, summary: string, description: string): JsonSchema => ({
  operationId,
  summary,
  description,
  tags: ['Health'],
  security: [],
  responses: { '200': answer('Yes.', 'Probe'), '400': MALFORMED, '503': answer('No.', 'Probe') },
});

/** The routes that need no credential and answer for the process itself. */
export const HEALTH_PATHS: JsonSchema = {
  '/health': {
    get: {
      operationId: 'health',
      summary: 'State of the service and of what it depends on',
      description: 'Public. `degraded` while it can serve with something missing.',
      tags: ['Health'],
      security: [],
      responses: {
        '200': answer('It can serve.', 'Health'),
        '400': MALFORMED,
        '503': answer('It cannot serve.', 'Health'),
      },
    },
  },
  '/health/live': { get: probe('healthLive', 'Whether the process runs', 'For an orchestrator: restart it when not.') },
  '/health/ready': { get: probe('healthReady', 'Whether requests can be served', 'For a load balancer.') },
};

export const HEALTH_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  Health: {
    type: 'object',
    required: ['status', 'version', 'uptimeSeconds', 'checks'],
    properties: {
      status: { type: 'string', enum: ['ok', 'degraded'] },
      version: { type: 'string' },
      uptimeSeconds: { type: 'number' },
      checks: { type: 'object', description: 'State of each dependency.', additionalProperties: true },
    },
  },
  Probe: {
    type: 'object',
    required: ['status'],
    properties: { status: { type: 'string', enum: ['ok', 'unavailable'] } },
  },
};
