import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { EmulatorRequest, EmulatorRoutes } from '../http-emulator';
import { ApiError, invalidField } from './api-error';
import type { Callbacks } from './callbacks';
import type { Control } from './control';
import { type Attempt, newAccount, type SubAccount, walletOf, type EmulatorState } from './emulator-state';

export interface AccountsDeps {
  readonly state: EmulatorState;
  readonly control: Control;
  readonly callbacks: Callbacks;
  /** Base URL that uploads are sent to. */
  readonly url: () => string;
}

export interface Accounts {
  readonly routes: EmulatorRoutes;
  /** Unsigned: the URL is the secret. */
  readonly uploads: EmulatorRoutes;
  accountOf(request: EmulatorRequest): SubAccount;
  decide(attemptId: string, decision: AttemptDecision): void;
  stop(): void;
}

export interface AttemptDecision {
  readonly result: 'APPROVED' | 'REJECTED';
  readonly retryable?: boolean | undefined;
  readonly labels?: readonly string[] | undefined;
}

const subAccountBody = z.object({ accountType: z.enum(['INDIVIDUAL', 'COMPANY']), name: z.string().min(1) });
const documentBody = z.object({
  documentType: z.enum(['ID', 'DRIVERS-LICENSE', 'PASSPORT', 'SELFIE', 'SELFIE-FROM-LIVENESS']),
  isDoubleSided: z.boolean().default(false),
});
const required = z.string().min(1);
const attemptBody = z.object({
  fullName: required,
  dateOfBirth: z.iso.date(),
  countryOfTaxId: z.string().length(3),
  taxIdNumber: required,
  email: z.email(),
  country: z.string().length(3),
  state: required,
  city: required,
  zipCode: required,
  streetAddress: required,
  uploadedSelfieId: required,
  uploadedDocumentId: required,
  sandboxReject: z.boolean().default(false),
});
const beneficiaryBody = z.object({
  alias: z.string().min(1).max(100),
  description: z.string().max(255).optional(),
  bankAccountNumber: required,
  bankRoutingNumber: z.string().regex(/^\d{9}$/),
  bankName: required,
  bankBeneficiaryName: z.string().regex(/^[\x20-\x7e]+$/),
  beneficiaryAddress: z.object({
    streetLine1: required,
    city: required,
    state: required,
    postalCode: required,
    country: z.literal('USA'),
  }),
});

export function openAccounts(parts: AccountsDeps): Accounts {
  const { state, control, callbacks } = parts;
  const timers = new Set<NodeJS.Timeout>();
  const accountOf = ({ query }: EmulatorRequest): SubAccount => {
    const account = state.accounts.find(({ id }) => id === query.get('subAccountId'));
    if (account === undefined) throw new ApiError(404, 'no such sub-account');
    return account;
  };
  const decide = (attemptId: string, { result, retryable = false, labels = [] }: AttemptDecision): void => {
    const account = state.accounts.find(({ attempts }) => attempts.some(({ id }) => id === attemptId));
    const attempt = account?.attempts.find(({ id }) => id === attemptId);
    if (account === undefined || attempt === undefined) throw new ApiError(404, 'no such attempt');
    Object.assign(attempt, { status: 'COMPLETED', result, retryable, rejectionLabels: [...labels] });
    account.confirmed = result === 'APPROVED';
    state.save();
    const content = { subAccountId: account.id, subscription: 'KYC', type: 'KYC-COMPLETED' } as const;
    callbacks.send({ ...content, data: { attempt: attemptOf(attempt) } });
  };
  const decideLater = ({ name }: SubAccount, attempt: Attempt): void => {
    if (control.autoApproveMs === null) return;
    const { id, sandboxReject } = attempt;
    const timer = setTimeout(() => {
      timers.delete(timer);
      // Decided by request meanwhile, or by request only.
      if (attempt.status === 'COMPLETED' || control.heldAccounts.includes(name)) return;
      decide(id, sandboxReject ? { result: 'REJECTED', labels: ['SANDBOX_REJECT'] } : { result: 'APPROVED' });
    }, control.autoApproveMs);
    timers.add(timer);
  };
  for (const account of state.accounts) {
    const open = account.attempts.filter(({ status }) => status !== 'COMPLETED');
    open.forEach((attempt) => decideLater(account, attempt));
  }
  const deps = { ...parts, accountOf, decideLater };
  return {
    routes: { ...accountRoutes(deps), ...documentRoutes(deps), ...attemptRoutes(deps) },
    uploads: uploadRoutes(parts),
    accountOf,
    decide,
    stop: () => timers.forEach((timer) => clearTimeout(timer)),
  };
}

interface Deps extends AccountsDeps {
  readonly accountOf: (request: EmulatorRequest) => SubAccount;
  readonly decideLater: (account: SubAccount, attempt: Attempt) => void;
}

function read<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  throw invalidField(parsed.error.issues[0]?.path.join('.') ?? 'body');
}

const info = ({ name, confirmed }: SubAccount): object => ({
  accountType: 'INDIVIDUAL',
  name,
  identityStatus: confirmed ? 'CONFIRMED' : 'NOT-IDENTIFIED',
});

const PAGE = 50;

function accountRoutes({ state, accountOf }: Deps): EmulatorRoutes {
  return {
    'GET /v2/account/sub-accounts': ({ query }) => {
      const from = Number.parseInt(query.get('cursor') ?? '0', 10);
      const subAccounts = state.accounts.slice(from, from + PAGE).map((account) => ({
        subAccountId: account.id,
        mainAccountId: 'main',
        createdAt: account.createdAt,
        accountInfo: { id: account.id, ...info(account) },
      }));
      return { body: { subAccounts, cursor: from + PAGE < state.accounts.length ? String(from + PAGE) : '' } };
    },
    'POST /v2/account/sub-accounts': ({ body }) => {
      const account = newAccount(read(subAccountBody, body).name);
      state.accounts.push(account);
      state.save();
      return { body: { id: account.id } };
    },
    'GET /v2/account/account-info': (request) => {
      const account = accountOf(request);
      const wallets = (['EVM', 'SOLANA'] as const).map((chain) => ({
        id: `${chain}-wallet-of-${account.id}`,
        walletAddress: walletOf(account, chain),
        chain,
      }));
      return { body: { id: account.id, accountInfo: { id: account.id, ...info(account) }, wallets } };
    },
    'GET /v2/account/metadata': (request) => {
      const { confirmed, usdUnlocked } = accountOf(request);
      return { body: { brlUnlocked: confirmed, usdUnlocked, eurUnlocked: false, arsUnlocked: false } };
    },
    'GET /v2/account/beneficiaries/bank-accounts/usd/': (request) => ({
      body: { beneficiaries: accountOf(request).beneficiaries, cursor: '' },
    }),
    'POST /v2/account/beneficiaries/bank-accounts/usd/': (request) => {
      const { alias, bankAccountNumber, bankRoutingNumber } = read(beneficiaryBody, request.body);
      const id = randomUUID();
      accountOf(request).beneficiaries.push({ id, alias, bankAccountNumber, bankRoutingNumber });
      state.save();
      return { body: { id } };
    },
  };
}

function documentRoutes({ state, url, accountOf }: Deps): EmulatorRoutes {
  return {
    'POST /v2/documents/': (request) => {
      const { documentType, isDoubleSided } = read(documentBody, request.body);
      const { id: accountId } = accountOf(request);
      const document = { id: randomUUID(), accountId, documentType, isDoubleSided, front: false, back: false };
      state.documents.push(document);
      state.save();
      const place = (side: string): string => `${url()}/uploads/${document.id}/${side}`;
      const back = isDoubleSided ? { uploadURLBack: place('back') } : {};
      return { body: { id: document.id, uploadURLFront: place('front'), ...back } };
    },
    'GET /v2/documents/:id': (request) => {
      const { id: accountId } = accountOf(request);
      const document = state.documents.find(
        (each) => each.id === request.parameters['id'] && each.accountId === accountId,
      );
      if (document === undefined) throw new ApiError(404, 'no such document');
      const ready = document.front && (document.back || !document.isDoubleSided);
      const uploadStatusFront = document.front ? 'OK' : 'WAITING-UPLOAD';
      return { body: { document: { id: document.id, uploadStatusFront, uploadErrorFront: '', ready } } };
    },
  };
}

function uploadRoutes({ state }: AccountsDeps): EmulatorRoutes {
  return {
    'PUT /uploads/:id/:side': ({ parameters, headers, rawBody }) => {
      const document = state.documents.find(({ id }) => id === parameters['id']);
      const side = parameters['side'];
      if (document === undefined || (side !== 'front' && side !== 'back')) return { status: 404 };
      if (headers['if-none-match'] !== '*' || rawBody.length === 0) return { status: 400 };
      if (document[side]) return { status: 412 };
      document[side] = true;
      state.save();
      return { status: 200 };
    },
  };
}

const attemptOf = (attempt: Attempt): object => ({
  ...attempt,
  sandboxReject: undefined,
  levelName: 'level-1',
  submissionData: null,
  resultMessage: attempt.result === 'REJECTED' ? 'The submission was rejected' : '',
});

function attemptRoutes({ state, accountOf, decideLater }: Deps): EmulatorRoutes {
  return {
    'POST /v2/kyc/new-level-1/api': (request) => {
      const account = accountOf(request);
      const { uploadedSelfieId, uploadedDocumentId, sandboxReject } = read(attemptBody, request.body);
      const isUploaded = (id: string) =>
        state.documents.some((each) => each.id === id && each.accountId === account.id && each.front);
      if (!isUploaded(uploadedSelfieId)) throw invalidField('uploadedSelfieId');
      if (!isUploaded(uploadedDocumentId)) throw invalidField('uploadedDocumentId');
      const attempt: Attempt = {
        id: randomUUID(),
        status: 'PROCESSING',
        result: '',
        rejectionLabels: [],
        retryable: false,
        sandboxReject,
        createdAt: new Date().toISOString(),
      };
      account.attempts.push(attempt);
      state.save();
      decideLater(account, attempt);
      return { body: { id: attempt.id } };
    },
    'POST /v2/kyc/usd/api': (request) => {
      const account = accountOf(request);
      if (!account.confirmed) throw new ApiError(400, 'level 1 is required');
      account.usdUnlocked = true;
      state.save();
      return { body: { id: randomUUID() } };
    },
    'GET /v2/kyc/attempts/': (request) => ({
      body: { attempts: accountOf(request).attempts.map(attemptOf), cursor: '' },
    }),
    'GET /v2/kyc/attempts/:id': (request) => {
      const attempt = accountOf(request).attempts.find(({ id }) => id === request.parameters['id']);
      if (attempt === undefined) throw new ApiError(404, 'no such attempt');
      return { body: { attempt: attemptOf(attempt) } };
    },
  };
}
