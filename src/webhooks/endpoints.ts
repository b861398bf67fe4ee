import { type Actor, recordAudit } from '../auth/audit-log';
import type { CustomerId } from '../auth/principal';
import { serviceError } from '../errors/service-error';
import { validationError, type ValidationIssue } from '../errors/validation';
import type { Database, Transaction } from '../persistence/database';
import type { Sealer } from '../persistence/personal-data';
import { uuidV7 } from '../persistence/uuid-v7';
import { WEBHOOK_EVENT_TYPES } from './event-types';
import { addSecret, rotateSecret } from './secrets';
import { type WebhookUrlPolicy, webhookUrlProblem } from './webhook-url-problem';

/** Endpoints that a customer may set up. */
export const MAX_ENDPOINTS = 10;
/** Endpoints that a list shows, with those of the URLs of quotes. */
const MAX_LISTED = 200;

export interface EndpointDeps {
  readonly database: Database;
  readonly sealer: Sealer;
  readonly webhookUrls: WebhookUrlPolicy;
}

/** A receiver of webhooks, without its secret. */
export interface WebhookEndpoint {
  readonly id: string;
  /** `QUOTE`: an origin that the URLs of quotes name. */
  readonly kind: string;
  readonly url: string;
  readonly eventTypes: readonly string[];
  readonly ordering: string;
  readonly state: string;
  readonly disabledReason: string | null;
  /** While its breaker is open: until when nothing is sent. */
  readonly openUntil: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** What the customer decides of an endpoint. Absent fields stay, or take their defaults. */
export interface EndpointSettings {
  readonly url?: string | null | undefined;
  /** Empty for all types. */
  readonly eventTypes?: readonly string[] | null | undefined;
  readonly ordering?: string | null | undefined;
  readonly enabled?: boolean | null | undefined;
}

export interface EndpointKey {
  readonly customerId: CustomerId;
  readonly endpointId: string;
}

/** The user who makes a change; absent for the operator. */
export interface ByActor {
  readonly actor?: Actor | undefined;
}

export const endpointTarget = (endpointId: string) =>
  ({ targetType: 'webhookEndpoint', targetId: endpointId }) as const;

const COLUMNS = {
  id: true,
  kind: true,
  url: true,
  eventTypes: true,
  ordering: true,
  state: true,
  disabledReason: true,
  openUntil: true,
  createdAt: true,
  updatedAt: true,
} as const;

/** The endpoints of a customer, the oldest first: those that it set up, then those of the URLs of quotes. */
export const listEndpoints = (
  { database }: Pick<EndpointDeps, 'database'>,
  customerId: CustomerId,
): Promise<readonly WebhookEndpoint[]> =>
  database.webhookEndpoint.findMany({
    where: { customerId, state: { not: 'DELETED' } },
    orderBy: [{ kind: 'asc' }, { createdAt: 'asc' }, { id: 'asc' }],
    take: MAX_LISTED,
    select: COLUMNS,
  });

/** Returns an endpoint of a customer. @throws WEBHOOK_ENDPOINT_NOT_FOUND */
export async function findEndpoint(
  { database }: { readonly database: Pick<Database, 'webhookEndpoint'> },
  { customerId, endpointId }: EndpointKey,
): Promise<WebhookEndpoint> {
  const where = { id: endpointId, customerId, state: { not: 'DELETED' } };
  const endpoint = await database.webhookEndpoint.findFirst({ where, select: COLUMNS });
  if (endpoint === null) throw serviceError('WEBHOOK_ENDPOINT_NOT_FOUND', { endpointId });
  return endpoint;
}

/**
 * Creates an endpoint and returns it with its secret, which cannot be read again.
 *
 * @throws VALIDATION_ERROR; WEBHOOK_ENDPOINT_LIMIT_REACHED
 */
export async function createEndpoint(
  { database, sealer, webhookUrls }: EndpointDeps,
  {
    customerId,
    actor,
    ...settings
  }: EndpointSettings & ByActor & { readonly customerId: CustomerId; readonly url: string },
): Promise<{ readonly endpoint: WebhookEndpoint; readonly secret: string }> {
  assertValid(settings, webhookUrls);
  const { url, eventTypes, ordering, enabled } = settings;
  const data = { id: uuidV7(), customerId, url, eventTypes: [...(eventTypes ?? [])], ordering: ordering ?? 'action' };
  return database.$transaction(async (tx) => {
    await assertMayAdd(tx, customerId);
    const endpoint = await tx.webhookEndpoint.create({
      data: { ...data, ...stateOf(enabled ?? true) },
      select: COLUMNS,
    });
    await recordAudit(tx, actor, { operation: 'createWebhookEndpoint', ...endpointTarget(endpoint.id) });
    return { endpoint, secret: await addSecret({ tx, sealer }, { customerId, endpointId: endpoint.id }) };
  });
}

/** The lock lets concurrent requests of a customer count one after the other. */
async function assertMayAdd(tx: Transaction, customerId: CustomerId): Promise<void> {
  await tx.$queryRaw`SELECT 1 FROM "Customer" WHERE id = ${customerId}::uuid FOR NO KEY UPDATE`;
  const count = await tx.webhookEndpoint.count({
    where: { customerId, kind: 'CUSTOMER', state: { not: 'DELETED' } },
  });
  if (count >= MAX_ENDPOINTS) throw serviceError('WEBHOOK_ENDPOINT_LIMIT_REACHED', { maximum: MAX_ENDPOINTS });
}

/**
 * Changes an endpoint. Enabling it closes its breaker. An endpoint for the URLs of quotes takes only `enabled` and `ordering`.
 *
 * @throws VALIDATION_ERROR, WEBHOOK_ENDPOINT_NOT_FOUND
 */
export async function updateEndpoint(
  { database, webhookUrls }: Pick<EndpointDeps, 'database' | 'webhookUrls'>,
  { customerId, endpointId, actor, ...settings }: EndpointSettings & EndpointKey & ByActor,
): Promise<WebhookEndpoint> {
  assertValid(settings, webhookUrls);
  const { url, eventTypes, ordering, enabled } = settings;
  return database.$transaction(async (tx) => {
    await tx.$queryRaw`
      SELECT 1 FROM "WebhookEndpoint" WHERE id = ${endpointId}::uuid AND "customerId" = ${customerId}::uuid FOR UPDATE`;
    const former = await findEndpoint({ database: tx }, { customerId, endpointId });
    if (former.kind === 'QUOTE') assertUnchanged({ url, eventTypes });
    await tx.webhookEndpoint.updateMany({
      where: { id: endpointId, customerId, state: { not: 'DELETED' } },
      data: {
        ...(typeof url === 'string' ? { url } : {}),
        ...(typeof eventTypes === 'object' && eventTypes !== null ? { eventTypes: [...eventTypes] } : {}),
        ...(typeof ordering === 'string' ? { ordering } : {}),
        ...(typeof enabled === 'boolean' ? stateOf(enabled) : {}),
      },
    });
    const detail = changesOf(former, settings);
    const change = { operation: 'updateWebhookEndpoint', ...endpointTarget(endpointId), detail };
    if (Object.keys(detail).length > 0) await recordAudit(tx, actor, change);
    return findEndpoint({ database: tx }, { customerId, endpointId });
  });
}

/** The changes of an endpoint for the audit log. URLs may contain secrets: their change is noted, not the value. */
const changesOf = (former: WebhookEndpoint, { url, eventTypes, ordering, enabled }: EndpointSettings) => ({
  ...(typeof url === 'string' && url !== former.url ? { url: 'changed' } : {}),
  ...(Array.isArray(eventTypes) && String(eventTypes) !== String(former.eventTypes)
    ? { eventTypes: eventTypes.length }
    : {}),
  ...(typeof ordering === 'string' && ordering !== former.ordering ? { ordering } : {}),
  ...(typeof enabled === 'boolean' && enabled !== isEnabled(former) ? { enabled } : {}),
});

/** `undefined` where either choice of the customer is a change: its breaker is open, or the service has disabled it. */
function isEnabled({ state, disabledReason, openUntil }: WebhookEndpoint): boolean | undefined {
  if (state === 'ENABLED') return openUntil === null ? true : undefined;
  return disabledReason === 'CUSTOMER' ? false : undefined;
}

/** Deletes an endpoint and its secrets. What waits for it is parked. @throws WEBHOOK_ENDPOINT_NOT_FOUND */
export async function deleteEndpoint(
  deps: Pick<EndpointDeps, 'database'>,
  { customerId, endpointId, actor }: EndpointKey & ByActor,
): Promise<void> {
  const { kind } = await findEndpoint(deps, { customerId, endpointId });
  // The next quote with a URL of this origin would bring it back.
  if (kind === 'QUOTE')
    throw validationError([
      { path: 'endpointId', message: 'names an origin of the URLs of quotes; disable it instead' },
    ]);
  await deps.database.$transaction(async (tx) => {
    const { count } = await tx.webhookEndpoint.updateMany({
      where: { id: endpointId, customerId, state: { not: 'DELETED' } },
      data: { state: 'DELETED', disabledReason: null },
    });
    if (count === 0) throw serviceError('WEBHOOK_ENDPOINT_NOT_FOUND', { endpointId });
    await tx.webhookSecret.deleteMany({ where: { customerId, endpointId } });
    await recordAudit(tx, actor, { operation: 'deleteWebhookEndpoint', ...endpointTarget(endpointId) });
  });
}

/** Replaces the secret of an endpoint; without an endpoint the customer's, which signs for the URLs of quotes. */
export async function rotateEndpointSecret(
  deps: Pick<EndpointDeps, 'database' | 'sealer'>,
  {
    customerId,
    endpointId,
    actor,
  }: ByActor & { readonly customerId: CustomerId; readonly endpointId: string | undefined },
): Promise<string> {
  if (endpointId !== undefined) {
    const { kind } = await findEndpoint(deps, { customerId, endpointId });
    if (kind === 'QUOTE')
      throw validationError([
        { path: 'endpointId', message: 'is signed for with the secret of the customer; omit it' },
      ]);
  }
  return rotateSecret(deps, { customerId, endpointId }, actor);
}

const CLOSED_BREAKER = { openUntil: null, openings: 0, failingSince: null, windowAttempts: 0, windowFailures: 0 };

const stateOf = (enabled: boolean) =>
  enabled
    ? { state: 'ENABLED', disabledReason: null, ...CLOSED_BREAKER }
    : { state: 'DISABLED', disabledReason: 'CUSTOMER' };

function assertUnchanged(settings: Pick<EndpointSettings, 'url' | 'eventTypes'>): void {
  const given = Object.entries(settings).filter(([, value]) => (value ?? undefined) !== undefined);
  const message = 'cannot be changed for the URLs of quotes';
  if (given.length > 0) throw validationError(given.map(([path]) => ({ path, message })));
}

function assertValid({ url, eventTypes, ordering }: EndpointSettings, policy: WebhookUrlPolicy): void {
  const issues: ValidationIssue[] = [];
  const add = (path: string, message: string | undefined): void => {
    if (message !== undefined) issues.push({ path, message });
  };
  if (typeof url === 'string') add('url', webhookUrlProblem(url, policy));
  add('eventTypes', eventTypesProblem(eventTypes ?? []));
  if (!['action', 'none'].includes(ordering ?? 'action')) add('ordering', 'must be one of action, none');
  if (issues.length > 0) throw validationError(issues);
}

function eventTypesProblem(types: readonly string[]): string | undefined {
  const all: readonly string[] = WEBHOOK_EVENT_TYPES;
  if (types.every((type) => all.includes(type)) && new Set(types).size === types.length) return undefined;
  return `must be a list without repetitions of ${all.join(', ')}`;
}
