export enum NodeKind {
  Variable,
  Constant,
  Op,
  Off,
}

export enum EdgeKind {
  /** A value that went from the tape to the tape. */
  Taped,
  /** A value used where nothing was recorded. */
  Off,
  /** The value stepped off the tape here. */
  Cut,
}

export enum FrameKind {
  Watch,
  Op,
  Off,
  Assign,
}

/** A column of a table. */
export interface Numbers<T = number> extends ArrayLike<T>, Iterable<T> {
  findIndex(test: (value: T, at: number) => boolean): number;
}

/** What happened, as nodes, edges and frames of the timeline; columns, because a tape may be long. */
export interface Graph {
  readonly nodeCount: number;
  readonly edgeCount: number;
  readonly frameCount: number;
  readonly opCount: number;
  readonly nodeKind: Numbers<NodeKind>;
  /** The tensor a node shows: the (first) result of an op. */
  readonly nodeTensor: Numbers;
  /** The event that made the node, or -1. */
  readonly nodeEvent: Numbers;
  /** The frame that runs or watches the node, or -1 where it stands there from the start. */
  readonly nodeFrame: Numbers;
  readonly nodeWatched: readonly boolean[];
  /** The edges into a node: firstEdge[n] up to firstEdge[n + 1]. */
  readonly firstEdge: Numbers;
  readonly edgeFrom: Numbers;
  readonly edgeTo: Numbers;
  readonly edgePort: Numbers;
  readonly edgeKind: Numbers<EdgeKind>;
  readonly frameKind: Numbers<FrameKind>;
  readonly frameEvent: Numbers;
  readonly frameNode: Numbers;
  readonly nodeOfTensor: Int32Array;
  readonly nodeOfEvent: Int32Array;
  /** The event with which the tape began to record, or -1; what was before has no frame. */
  readonly opened: number;
}
