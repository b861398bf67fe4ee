/** One row of the catalog. `{name}` in `message` is a parameter that the thrower must supply. */
export interface CatalogRow {
  /** HTTP status of the REST answer. */
  readonly status: number;
  /** True when the same request may succeed later without a change by the caller. */
  readonly retryable: boolean;
  readonly message: string;
}

/** Every code that a caller can see, with its status and message: the only place where they are paired. */
export const CATALOG = {
  // Authentication and access
  AUTHENTICATION_REQUIRED: { status: 401, retryable: false, message: 'Authentication is required: {reason}' },
  INVALID_API_KEY: { status: 401, retryable: false, message: 'The API key is missing, unknown, expired or revoked' },
  INVALID_AUTH_TOKEN: { status: 401, retryable: false, message: 'The access token is invalid or expired' },
  FORBIDDEN: { status: 403, retryable: false, message: 'Access denied: {reason}' },
  FEE_SPONSORSHIP_NOT_ALLOWED: { status: 403, retryable: false, message: 'Fee sponsorship is not allowed for this customer' },

  // Requests in general
  VALIDATION_ERROR: { status: 422, retryable: false, message: 'The request is invalid: {reason}' },
  NOT_FOUND: { status: 404, retryable: false, message: 'There is nothing at {method} {path}' },
  METHOD_NOT_ALLOWED: { status: 405, retryable: false, message: '{method} is not allowed at {path}; allowed: {allowed}' },
  IDEMPOTENCY_KEY_IN_USE: { status: 409, retryable: true, message: 'A call with this Idempotency-Key is still running' },
  RATE_LIMIT_EXCEEDED: { status: 429, retryable: true, message: 'Rate limit exceeded: {limit} requests per {window}. Retry in {retryAfter} s' },
  RATE_LIMITED: { status: 429, retryable: true, message: 'Too many requests from this address. Retry in {retryAfter} s' },
  INTERNAL_SERVER_ERROR: { status: 500, retryable: true, message: 'An unexpected error occurred' },
  SERVICE_UNAVAILABLE: { status: 503, retryable: true, message: 'The service is temporarily unavailable: {reason}' },

  // The graph
  GRAPHQL_VALIDATION_FAILED: { status: 400, retryable: false, message: 'The document is invalid: {reason}' },
  OPERATION_RESOLUTION_FAILURE: { status: 400, retryable: false, message: 'The document has no such operation: {reason}' },
  DOCUMENT_LIMIT_EXCEEDED: { status: 400, retryable: false, message: 'The document exceeds the limit of {maximum} {counted}' },
  DOCUMENT_REFUSED: { status: 400, retryable: false, message: 'This document cannot be planned' },
  SUBREQUEST_TIMEOUT: { status: 504, retryable: true, message: 'A part of the service did not answer in time' },
  SUBREQUEST_FAILED: { status: 502, retryable: true, message: 'A part of the service could not be reached' },
  DOWNSTREAM_SERVICE_ERROR: { status: 502, retryable: true, message: 'A part of the service reported an error' },
  INVALID_SUBGRAPH_RESPONSE: { status: 502, retryable: true, message: '{reason}' },

  // Quote and swap
  QUOTE_NOT_FOUND: { status: 404, retryable: false, message: 'The quote {quoteId} was not found or has expired' },
  QUOTE_EXPIRED: { status: 400, retryable: false, message: 'The quote {quoteId} has expired. Request a new one' },
  QUOTE_VALIDATION_ERROR: { status: 400, retryable: false, message: 'The request does not match the quote {quoteId}: {reason}' },
  QUOTE_GENERATION_FAILED: { status: 400, retryable: false, message: 'A quote cannot be generated for these parameters: {reason}' },
  NO_ROUTE_FOUND: { status: 400, retryable: false, message: 'No route from {tokenIn} on {originChain} to {tokenOut} on {destinationChain}' },
  PROVIDER_UNAVAILABLE: { status: 502, retryable: true, message: 'The provider {provider} could not be asked: {reason}' },
  PROVIDER_NOT_FOUND: { status: 404, retryable: false, message: 'No swap provider serves {route}' },
  INVALID_PREFERRED_PROVIDER: { status: 400, retryable: false, message: 'Unknown preferredProvider "{provider}". Registered: {registered}' },
  PREFERRED_PROVIDER_NOT_ELIGIBLE: { status: 400, retryable: false, message: 'The provider {provider} does not support this route' },
  PREFERRED_PROVIDER_QUOTE_UNAVAILABLE: { status: 400, retryable: true, message: 'The provider {provider} returned no quote: {reason}' },
  INVALID_ACTION_TYPE: { status: 400, retryable: false, message: 'The action type {type} is not supported here' },
  BYTECODE_GENERATION_FAILED: { status: 500, retryable: true, message: 'The transaction could not be generated: {reason}' },
  SWAP_EXECUTION_FAILED: { status: 500, retryable: true, message: 'The swap execution failed: {reason}' },
  ROUTER_EXACT_OUT_UNSUPPORTED: { status: 400, retryable: false, message: 'Public Pix and yield quotes support amountIn only' },

  // Validation and amounts
  INVALID_AMOUNT_PARAMS: { status: 400, retryable: false, message: 'Give exactly one of amountIn and amountOut, not both' },
  MISSING_AMOUNT_PARAMS: { status: 400, retryable: false, message: 'Give exactly one of amountIn and amountOut' },
  INVALID_SLIPPAGE: { status: 400, retryable: false, message: 'slippage {slippage} is outside 0.0001 to 0.5' },
  AMOUNT_IN_TOO_LOW: { status: 400, retryable: false, message: 'amountIn is below the route minimum (min ~{minimum})' },
  AMOUNT_IN_TOO_HIGH: { status: 400, retryable: false, message: 'amountIn exceeds the available liquidity (max ~{maximum})' },
  AMOUNT_IN_TOO_LOW_OFFRAMP: { status: 400, retryable: false, message: 'amountIn is below the off-ramp minimum (min ~{minimum})' },
  AMOUNT_IN_TOO_HIGH_OFFRAMP: { status: 400, retryable: false, message: 'amountIn is above the off-ramp maximum (max ~{maximum})' },
  AMOUNT_OUT_TOO_LOW_OFFRAMP: { status: 400, retryable: false, message: 'amountOut is below the off-ramp minimum (min ~{minimum})' },
  AMOUNT_OUT_TOO_HIGH_OFFRAMP: { status: 400, retryable: false, message: 'amountOut is above the off-ramp maximum (max ~{maximum})' },
  AMOUNT_IN_TOO_LOW_ONRAMP: { status: 400, retryable: false, message: 'amountIn is below the on-ramp minimum (min ~{minimum})' },
  AMOUNT_IN_TOO_HIGH_ONRAMP: { status: 400, retryable: false, message: 'amountIn is above the on-ramp maximum (max ~{maximum})' },
  AMOUNT_OUT_TOO_LOW_ONRAMP: { status: 400, retryable: false, message: 'amountOut is below the on-ramp minimum (min ~{minimum})' },
  AMOUNT_OUT_TOO_HIGH_ONRAMP: { status: 400, retryable: false, message: 'amountOut is above the on-ramp maximum (max ~{maximum})' },
  AMOUNT_EXCEEDS_PROVIDER_LIMIT: { status: 409, retryable: false, message: 'The amount exceeds the remaining withdrawal limit of the provider (max ~{maximum})' },
  RAMP_AMOUNT_OUT_OF_RANGE: { status: 422, retryable: false, message: 'The amount is outside the range of the ramp provider (min ~{minimum}, max ~{maximum})' },
  INVALID_TX_HASH: { status: 400, retryable: false, message: 'The transaction hash is malformed' },

  // Pix
  PIX_THIRD_PARTY_QUOTE_MISMATCH: { status: 400, retryable: false, message: 'thirdParty differs from the quote {quoteId}' },
  MISSING_PIX_KEY: { status: 400, retryable: false, message: 'pixKey is required for the BRL payout' },
  INVALID_PIX_KEY: { status: 400, retryable: false, message: 'The Pix key is invalid or was not found' },
  PIX_KEY_LOOKUP_FAILED: { status: 502, retryable: true, message: 'The Pix key could not be validated' },
  INVALID_PIX_BRCODE_FORMAT: { status: 400, retryable: false, message: 'The Pix BR Code is malformed: {reason}' },
  PIX_BRCODE_EXPIRED: { status: 400, retryable: false, message: 'The Pix BR Code has expired' },
  PIX_BRCODE_LOOKUP_FAILED: { status: 502, retryable: true, message: 'The details of the Pix BR Code could not be looked up' },
  PIX_BRCODE_REQUOTE_REQUIRED: { status: 400, retryable: false, message: 'The Pix BR Code has a fixed amount that is not priced into the quote. Request a new one' },

  // Ramp providers and KYC
  INVALID_RAMP_PROVIDER: { status: 400, retryable: false, message: 'Unknown rampProvider "{provider}"' },
  RAMP_PROVIDER_NOT_ELIGIBLE: { status: 400, retryable: false, message: 'The ramp provider {provider} is not eligible: {reason}' },
  RAMP_ACCOUNT_ID_MISSING: { status: 400, retryable: false, message: 'The KYC profile has no account at the ramp provider {provider}' },
  KYC_PROFILE_INCOMPLETE_FOR_RAMP: { status: 400, retryable: false, message: 'The KYC profile lacks fields that the ramp provider needs: {fields}' },
  KYC_PROFILE_NOT_FOUND: { status: 404, retryable: false, message: 'No active KYC profile was found' },
  KYC_WALLET_ALREADY_LINKED: { status: 409, retryable: false, message: 'The wallet is linked to another KYC profile' },
  KYC_WALLET_NOT_LINKED: { status: 404, retryable: false, message: 'The wallet is not linked to this KYC profile' },
  KYC_LAST_WALLET: { status: 409, retryable: false, message: 'The last wallet of a KYC profile cannot be unlinked' },
  SECONDARY_RAMP_NOT_CONFIGURED: { status: 500, retryable: false, message: 'The secondary ramp is not configured' },
  SECONDARY_RAMP_API_ERROR: { status: 502, retryable: true, message: 'The request to the secondary ramp failed' },
  INVALID_SECONDARY_RAMP_QUOTE: { status: 502, retryable: true, message: 'The quote of the secondary ramp lacks required fields' },
  INVALID_SECONDARY_RAMP_TICKET: { status: 502, retryable: true, message: 'The transaction of the secondary ramp lacks required fields' },
  INVALID_SECONDARY_RAMP_CUSTOMER: { status: 502, retryable: true, message: 'The customer of the secondary ramp lacks required fields' },
  SECONDARY_RAMP_KYC_NOT_PROVISIONED: { status: 409, retryable: false, message: 'The secondary ramp has no customer for this profile: submit its data first' },
  SECONDARY_RAMP_KYC_REJECTED: { status: 409, retryable: false, message: 'The secondary ramp rejected this profile' },
  SECONDARY_RAMP_KYC_IN_PROGRESS: { status: 409, retryable: true, message: 'The secondary ramp is reviewing this profile: poll GET /api/v1/kyc/status' },
  SECONDARY_RAMP_USD_OFFRAMP_ACCOUNT_MISSING: { status: 409, retryable: false, message: 'The USD off-ramp needs a saved external account: call POST /api/v1/kyc/currency-unlock' },

  // KYC evidence
  INVALID_EVIDENCE_IMAGE: { status: 422, retryable: false, message: 'The evidence image is not valid base64 or is larger than 8 MB: {field}' },
  UNSUPPORTED_EVIDENCE_IMAGE_FORMAT: { status: 422, retryable: false, message: 'The evidence image is neither JPEG nor PNG: {field}' },
  EVIDENCE_URL_NOT_ALLOWED: { status: 422, retryable: false, message: 'The evidence URL is not allowed: {field}' },
  EVIDENCE_URL_EXPIRED: { status: 422, retryable: false, message: 'The signature of the evidence URL has expired: {field}' },
  EVIDENCE_URL_FORBIDDEN: { status: 422, retryable: false, message: 'The storage provider refused the evidence URL: {field}' },
  EVIDENCE_URL_NOT_FOUND: { status: 422, retryable: false, message: 'The evidence URL holds no object: {field}' },
  EVIDENCE_URL_UNREACHABLE: { status: 422, retryable: true, message: 'The storage provider of the evidence URL is unreachable: {field}' },
  EVIDENCE_URL_TIMEOUT: { status: 422, retryable: true, message: 'Fetching the evidence images took more than 8 seconds' },
  DOCUMENT_BACK_REQUIRED: { status: 422, retryable: false, message: '{documentType} needs documents.back' },
  DOCUMENT_BACK_NOT_ALLOWED: { status: 422, retryable: false, message: '{documentType} is single sided: omit documents.back' },
  INVALID_BIRTH_DATE: { status: 422, retryable: false, message: 'extracted.birthDate must be YYYY-MM-DD' },
  LIVENESS_BELOW_THRESHOLD: { status: 422, retryable: false, message: 'The liveness confidence is below the minimum of the account' },
  IDENTITY_CPF_MISMATCH: { status: 409, retryable: false, message: 'The CPF of the document differs from the CPF of the session' },
  UNDER_18: { status: 409, retryable: false, message: 'The applicant is a minor' },

  // Strategies, fees, recurring collection
  ACTION_NOT_FOUND: { status: 404, retryable: false, message: 'The action {actionId} was not found' },
  STRATEGY_NOT_FOUND: { status: 404, retryable: false, message: 'The strategy {strategyId} was not found' },
  CUSTOMER_STRATEGY_NOT_FOUND: { status: 404, retryable: false, message: 'The customer has no strategy {strategyId}' },
  FEE_ACTIVATION_IN_PROGRESS: { status: 409, retryable: true, message: 'The profit fee activation is already reconciling' },
  FEE_ACTIVATION_TASK_NOT_PERSISTED: { status: 500, retryable: true, message: 'The fee activation task could not be saved' },
  RECURRING_COLLECTION_REQUIRES_FEE: { status: 400, retryable: false, message: 'Recurring collection needs a performance or markup fee' },
  RECURRING_MARKUP_RECIPIENT_REQUIRED: { status: 422, retryable: false, message: 'Live recurring collection with a markup fee needs a non-zero recipient' },
  MARKUP_RECIPIENT_CONFLICTS_WITH_PERFORMANCE_COLLECTOR: { status: 422, retryable: false, message: 'The markup recipient equals the performance fee collector' },
  RECURRING_RECIPIENT_ROTATION_PENDING_DISPATCH: { status: 409, retryable: true, message: 'The recipient cannot change while a collection transaction is unresolved' },
  RECURRING_REGISTRY_CONTROLLER_NOT_CONFIGURED: { status: 503, retryable: false, message: 'The registry controller is not configured for {network}' },
  RECURRING_REGISTRY_MISMATCH: { status: 409, retryable: true, message: 'The on-chain registry is not synchronized' },
  PRICE_IN_USD_NOT_SUPPORTED: { status: 400, retryable: false, message: 'This strategy does not support priceInUsd' },
  EXPIRE_AT_NOT_SUPPORTED: { status: 400, retryable: false, message: 'This strategy does not support expireAt' },
  ACTION_CANCEL_REFUND_QUEUE_FAILED: { status: 502, retryable: true, message: 'The action is REFUNDED but its refund could not be queued yet' },
  LENDING_SERVICE_UNAVAILABLE: { status: 503, retryable: true, message: 'The lending service is temporarily unavailable' },
  LENDING_BAD_REQUEST: { status: 400, retryable: false, message: 'The lending service refused the request: {reason}' },
  TOKENIZED_STOCK_NOT_CONFIGURED: { status: 503, retryable: false, message: 'The tokenized-stock API is not configured' },
  TOKENIZED_STOCK_ATTESTATION_FAILED: { status: 502, retryable: true, message: 'The hard attestation request failed' },
  TOKENIZED_STOCK_SOFT_QUOTE_UNAVAILABLE: { status: 502, retryable: true, message: 'The soft quote is unavailable' },
  TOKENIZED_STOCK_FLOOR_BREACH: { status: 409, retryable: true, message: 'The hard attestation is worse than the floor of the transaction' },

  // Transfers, bridges, transactions
  TRANSFER_VALIDATION_FAILED: { status: 400, retryable: false, message: 'The token transfer is invalid: {reason}' },
  INSUFFICIENT_AMOUNT_FOR_REFUND: { status: 400, retryable: false, message: 'The transferred amount does not cover the refund fee' },
  REFUND_PROCESSING_FAILED: { status: 500, retryable: true, message: 'The refund transaction failed' },
  DEPOSIT_NOT_FOUND: { status: 404, retryable: true, message: 'The Bitcoin deposit was not found' },
  BRIDGE_API_ERROR: { status: 502, retryable: true, message: 'The bridge provider did not answer properly' },
  TX_UPDATE_FAILED: { status: 500, retryable: true, message: 'The transaction status could not be updated' },
  TX_NOT_FOUND: { status: 404, retryable: true, message: 'The transaction {txHash} was not found on {chain}' },
  TX_NOT_MINED: { status: 422, retryable: true, message: 'The transaction {txHash} is not mined yet' },
  TX_REVERTED: { status: 422, retryable: false, message: 'The transaction {txHash} reverted' },
} as const satisfies Record<string, CatalogRow>;

export type ErrorCode = keyof typeof CATALOG;
