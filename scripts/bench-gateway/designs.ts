/** The servers to compare. Each runs in its own process. */
export type Design = 'bare' | 'edge' | 'generated';

export const DESIGNS: readonly Design[] = ['bare', 'edge', 'generated'];
