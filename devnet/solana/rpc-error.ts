/** A JSON-RPC error response, with the codes of Solana's nodes. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  constructor(
    readonly code: number,
    message: string,
    readonly data?: unknown,
  ) {
    super(message);
  }
}

export const invalidParams = (message: string): RpcError => new RpcError(-32602, message);
