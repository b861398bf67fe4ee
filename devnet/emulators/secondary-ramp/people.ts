import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { EmulatorResponse, EmulatorRequest, EmulatorRoutes } from '../http-emulator';
import { ApiError } from './api-error';
import type { Control } from './control';
import { CENT, numberOf, ONE } from './micro-amount';
import { partsOf } from './multipart';
import { type Customer, pageOf, STEP_STATES, timestamp, type World } from './world';

interface Parts {
  readonly world: World;
  readonly control: Control;
}

const text = z.string().min(1);
const ALPHA_3 = z.string().regex(/^[A-Z]{3}$/);
const creation = z.looseObject({
  type: z.literal('individual'),
  first_name: text,
  last_name: text,
  email: z.email(),
  date_of_birth: z.iso.date(),
  tin: text,
  country: ALPHA_3,
  address: z.looseObject({ street_line_1: text, city: text, state: text, postal_code: text, country: ALPHA_3 }),
});

const IDENTITY_TYPES = new Set(['PASSPORT', 'NATIONAL_ID', 'DRIVER_LICENSE']);
const documentMetadata = z.object({
  document_type: z.enum(['PASSPORT', 'NATIONAL_ID', 'DRIVER_LICENSE', 'PROOF_OF_ADDRESS', 'SELFIE']),
  document_side: z.enum(['FRONT', 'BACK']).optional(),
  country: z.string().optional(),
});

/** @throws ApiError 404 */
export function customerById(world: World, id: string | undefined): Customer {
  const found = world.customers.find((customer) => customer.id === id);
  if (found === undefined) throw new ApiError(404, 'customer_not_found', 'Customer not found');
  return found;
}

export function customerRoutes(parts: Parts): EmulatorRoutes {
  const { world } = parts;
  const of = ({ parameters }: EmulatorRequest): Customer => {
    const found = customerById(world, parameters['id']);
    review(parts, found);
    return found;
  };
  return {
    'POST /v1/customers': (request) => create(parts, request),
    'GET /v1/customers': ({ query }) => {
      const page = pageOf(world.customers, query);
      if (page === undefined) throw new ApiError(422, 'invalid_limit', 'limit is required');
      return { body: { data: page.map(customerBody) } };
    },
    'GET /v1/customers/:id': (request) => ({ body: customerBody(of(request)) }),
    'POST /v1/customers/:id/documents': (request) => storeDocument(world, of(request), request),
    'POST /v1/customers/:id/check': (request) => check(parts, of(request)),
    'GET /v1/customers/:id/verification-details': (request) => ({ body: detailsOf(of(request)) }),
    'GET /v1/customers/:id/rails': (request) => ({ body: { rails: railsOf(parts, of(request)) } }),
    'GET /v1/customers/:id/limits': (request) => ({ body: { limits: limitsOf(parts, of(request)) } }),
  };
}

function create({ world, control }: Parts, { body }: EmulatorRequest): EmulatorResponse {
  const parsed = creation.safeParse(body);
  if (!parsed.success) throw new ApiError(422, 'invalid_body', z.prettifyError(parsed.error));
  const now = timestamp();
  const customer: Customer = {
    id: randomUUID(),
    fields: parsed.data,
    status: 'pending',
    documents: [],
    reviewedAt: null,
    wires: null,
    steps: { IDENTITY: 'pending', PROOF_OF_ADDRESS: 'pending' },
    created_at: now,
    updated_at: now,
  };
  world.customers.push(customer);
  world.save();
  return { status: 201, body: customerBody(customer), lost: isLost(control) };
}

/** True when the response is to be lost. */
export function isLost(control: Control): boolean {
  if (control.loseResponses === 0) return false;
  control.loseResponses -= 1;
  return true;
}

const customerBody = ({ id, fields, status, created_at, updated_at }: Customer): object => ({
  ...fields,
  id,
  status,
  created_at,
  updated_at,
  verification: { verification_link: `https://verification.example/${id}`, verification_type: 'individual' },
});

function storeDocument(world: World, customer: Customer, { headers, rawBody }: EmulatorRequest): EmulatorResponse {
  const parts = partsOf(headers['content-type'], rawBody);
  const [file, metadata] = [
    parts.get('file'),
    documentMetadata.safeParse(JSON.parse(String(parts.get('metadata') ?? '{}'))),
  ];
  if (file === undefined || file.length === 0 || !metadata.success) {
    throw new ApiError(422, 'invalid_document', 'file and metadata are required');
  }
  const { document_type, document_side } = metadata.data;
  assertSide(document_type, document_side);
  customer.documents.push({ document_type, ...(document_side === undefined ? {} : { document_side }) });
  const step = stepOf(document_type);
  if (step !== undefined && customer.steps[step] !== 'approved') customer.steps[step] = 'pending';
  world.save();
  return { status: 201, body: { id: randomUUID() } };
}

/** Documents of identity have one, of any kind; a proof of address has none. */
function assertSide(documentType: string, side: string | undefined): void {
  const isValid = IDENTITY_TYPES.has(documentType)
    ? side !== undefined
    : documentType === 'SELFIE' || side === undefined;
  if (!isValid) throw new ApiError(422, 'invalid_document', 'document_side does not go with document_type');
}

function stepOf(documentType: string): 'IDENTITY' | 'PROOF_OF_ADDRESS' | undefined {
  if (documentType === 'PROOF_OF_ADDRESS') return 'PROOF_OF_ADDRESS';
  return IDENTITY_TYPES.has(documentType) ? 'IDENTITY' : undefined;
}

/** Starts a review. Individuals need an identity document and a proof of address. */
function check({ world, control }: Parts, customer: Customer): EmulatorResponse {
  if (customer.status === 'approved' || customer.status === 'rejected') {
    throw new ApiError(422, 'customer_cannot_be_verified', 'Customer cannot be verified');
  }
  const has = new Set(customer.documents.map(({ document_type }) => stepOf(document_type)));
  if (!has.has('IDENTITY') || !has.has('PROOF_OF_ADDRESS')) {
    throw new ApiError(422, 'documents_missing', 'Documents are missing');
  }
  decide(world, customer, { status: 'under_review' });
  customer.reviewedAt = control.reviewMs === 0 ? null : Date.now() + control.reviewMs;
  return {};
}

/** Approves a review when its time is over. */
function review({ world }: Parts, customer: Customer): void {
  if (customer.status !== 'under_review' || customer.reviewedAt === null || customer.reviewedAt > Date.now()) return;
  decide(world, customer, { status: 'approved' });
}

export interface CustomerDecision {
  readonly status: Customer['status'];
  /** The only step that changes. */
  readonly step?: string | undefined;
  readonly wires?: boolean | undefined;
}

export function decide(world: World, customer: Customer, { status, step, wires }: CustomerDecision): void {
  for (const name of Object.keys(customer.steps)) {
    if (step === undefined || step === name) customer.steps[name] = status;
    else if (customer.steps[name] === 'under_review') customer.steps[name] = 'approved';
  }
  Object.assign(customer, { status, reviewedAt: null, updated_at: timestamp() });
  if (wires !== undefined) customer.wires = wires;
  world.save();
}

const REJECTION = { rejection_code: ['DOCUMENT_EXPIRED'], rejection_description: 'The document has expired' };

function detailsOf({ id, status, steps }: Customer): object {
  const named = (state: string) => Object.entries(steps).flatMap(([name, its]) => (its === state ? [name] : []));
  const byState = STEP_STATES.map((state) => {
    const isRejection = state === 'rejected' || state === 'partially_rejected';
    return [state, named(state).map((name) => (isRejection ? { name, ...REJECTION } : name))] as const;
  });
  return { customer_id: id, customer_status: status, verification_steps: Object.fromEntries(byState) };
}

function railsOf({ control }: Parts, { status, wires }: Customer): readonly object[] {
  const isApproved = status === 'approved';
  return [
    { payment_rail: 'pix', currency: 'BRL', enabled: isApproved },
    { payment_rail: 'wire', currency: 'USD', enabled: isApproved && (wires ?? control.wires) },
  ];
}

const DAY_MS = 86_400_000;

/** The daily limits of each fiat currency and direction. */
function limitsOf({ world, control }: Parts, customer: Customer): readonly object[] {
  const since = Date.now() - DAY_MS;
  const routes = [
    { currency: 'BRL', payment_rail: 'pix' },
    { currency: 'USD', payment_rail: 'wire' },
  ] as const;
  return routes.flatMap((route) =>
    (['on_ramp', 'off_ramp'] as const).map((type) => {
      const moved = world.transactions
        .filter((each) => each.customer_id === customer.id && each.type === type && Date.parse(each.created_at) > since)
        .map((each) => (type === 'on_ramp' ? each.sender : each.receiver))
        .filter(({ currency }) => currency === route.currency)
        .reduce((sum, { amount }) => sum + BigInt(amount), 0n);
      const maximum = BigInt(control.daily) * ONE;
      const remaining = moved > maximum ? 0n : maximum - moved;
      const amounts = {
        maximum: numberOf(maximum),
        used: numberOf((moved / CENT) * CENT),
        remaining: numberOf(remaining),
      };
      return { ...route, type, period: 'day', minimum: control.minimum, ...amounts };
    }),
  );
}
