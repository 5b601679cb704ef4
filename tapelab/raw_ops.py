"""`tf.raw_ops`: the ops under the names and with the arguments that TensorFlow's graphs have.

Each takes keywords only and hands them to the public function of that op.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from typing import Any  # when the module runs, this name is the op `tf.raw_ops.Any`

TABLE: Final = {
    "x": (
        "Abs:abs Acos:acos Acosh:acosh Asin:asin Asinh:asinh Atan:atan Atanh:atanh"
        " BesselI0:math.bessel_i0 BesselI0e:math.bessel_i0e BesselI1:math.bessel_i1"
        " BesselI1e:math.bessel_i1e BesselJ0:math.special.bessel_j0"
        " BesselJ1:math.special.bessel_j1 BesselK0:math.special.bessel_k0"
        " BesselK0e:math.special.bessel_k0e BesselK1:math.special.bessel_k1"
        " BesselK1e:math.special.bessel_k1e BesselY0:math.special.bessel_y0"
        " BesselY1:math.special.bessel_y1 Ceil:math.ceil Cos:cos Cosh:cosh"
        " Dawsn:math.special.dawsn Digamma:math.digamma Erf:math.erf Erfc:math.erfc"
        " Erfinv:math.erfinv Exp:exp Expint:math.special.expint Expm1:math.expm1 Floor:floor"
        " FresnelCos:math.special.fresnel_cos FresnelSin:math.special.fresnel_sin"
        " Inv:math.reciprocal Invert:bitwise.invert InvertPermutation:math.invert_permutation"
        " IsFinite:math.is_finite IsInf:math.is_inf IsNan:math.is_nan Lgamma:math.lgamma"
        " Log:math.log Log1p:math.log1p LogicalNot:logical_not Ndtri:math.ndtri Neg:negative"
        " OnesLike:ones_like Reciprocal:math.reciprocal Rint:math.rint Round:round"
        " Rsqrt:math.rsqrt Sigmoid:sigmoid Sign:sign Sin:sin Sinh:sinh Spence:math.special.spence"
        " Sqrt:sqrt Square:square Tan:tan Tanh:tanh ZerosLike:zeros_like"
    ),
    "x y": (
        "Add:add AddV2:add BitwiseAnd:bitwise.bitwise_and BitwiseOr:bitwise.bitwise_or"
        " BitwiseXor:bitwise.bitwise_xor Div:divide DivNoNan:math.divide_no_nan"
        " FloorDiv:math.floordiv FloorMod:math.floormod Greater:greater"
        " GreaterEqual:greater_equal LeftShift:bitwise.left_shift Less:less LessEqual:less_equal"
        " LogicalAnd:logical_and LogicalOr:logical_or Maximum:maximum Minimum:minimum Mul:multiply"
        " MulNoNan:math.multiply_no_nan Pow:pow RealDiv:divide RightShift:bitwise.right_shift"
        " SquaredDifference:math.squared_difference Sub:subtract TruncateDiv:truncatediv"
        " TruncateMod:truncatemod Xdivy:math.xdivy Xlog1py:math.xlog1py Xlogy:math.xlogy"
    ),
    "x y incompatible_shape_error?-": "Equal:equal NotEqual:not_equal",
    "y x": "Atan2:atan2",
    "a x": "Igamma:math.igamma Igammac:math.igammac Polygamma:math.polygamma",
    "a b x": "Betainc:math.betainc",
    "x q": "Zeta:math.zeta",
    "x1 x2": "NextAfter:math.nextafter",
    "input": (
        "Cholesky:linalg.cholesky FFT:signal.fft IFFT:signal.ifft Identity:identity"
        " DiagPart:linalg.tensor_diag_part IdentityN:identity_n MatrixDeterminant:linalg.det"
        " MatrixDiagPart:linalg.diag_part"
        " MatrixLogarithm:linalg.logm LogMatrixDeterminant:linalg.slogdet Rank:rank"
        " StopGradient:stop_gradient StringStrip:strings.strip MatrixSquareRoot:linalg.sqrtm"
    ),
    "t": "L2Loss:nn.l2_loss",
    "input Tout?-": "Angle:math.angle Conj:math.conj Imag:math.imag Real:math.real",
    "features": (
        "Elu:nn.elu Relu:nn.relu Relu6:nn.relu6 Selu:nn.selu Softplus:nn.softplus"
        " Softsign:nn.softsign"
    ),
    "features alpha?": "LeakyRelu:nn.leaky_relu",
    "logits": "LogSoftmax:nn.log_softmax Softmax:nn.softmax",
    "inputs": "AddN:add_n",
    "equation *inputs": "Einsum:einsum",
    "real imag Tout?-": "Complex:complex",
    "x DstT Truncate?-": "Cast:cast",
    "input type": "Bitcast:bitcast",
    "input shape": "BroadcastTo:broadcast_to EnsureShape:ensure_shape",
    "t clip_value_min clip_value_max": "ClipByValue:clip_by_value",
    "input axis keep_dims?=keepdims": (
        "All:reduce_all Any:reduce_any EuclideanNorm:math.reduce_euclidean_norm Max:reduce_max"
        " Mean:reduce_mean Min:reduce_min Prod:reduce_prod Sum:reduce_sum"
    ),
    "input dimension output_type?": "ArgMax:argmax ArgMin:argmin",
    "x axis exclusive? reverse?": (
        "Cumprod:math.cumprod Cumsum:cumsum CumulativeLogsumexp:math.cumulative_logsumexp"
    ),
    "a b transpose_a? transpose_b? grad_a? grad_b?": "MatMul:matmul",
    "x y adj_x?=adjoint_a adj_y?=adjoint_b": "BatchMatMul:matmul BatchMatMulV2:matmul",
    "a b": "Cross:linalg.cross",
    "input adjoint?": "MatrixInverse:linalg.inv",
    "matrix rhs adjoint?": "MatrixSolve:linalg.solve",
    "matrix rhs lower? adjoint?": "MatrixTriangularSolve:linalg.triangular_solve",
    "matrix rhs l2_regularizer fast?": "MatrixSolveLs:linalg.lstsq",
    "input full_matrices?": "Qr:linalg.qr",
    "input compute_uv? full_matrices?": "Svd:linalg.svd",
    "input num_lower num_upper": "MatrixBandPart:linalg.band_part",
    "diagonal": "Diag:linalg.tensor_diag MatrixDiag:linalg.diag",
    "s0 s1": "BroadcastArgs:broadcast_dynamic_shape",
    "input diagonal": "MatrixSetDiag:linalg.set_diag",
    "tensor shape": "Reshape:reshape",
    "tensor axis": "ReverseV2:reverse",
    "input axis": "ExpandDims:expand_dims",
    "input axis?": "Squeeze:squeeze",
    "x perm": "Transpose:transpose",
    "input multiples": "Tile:tile",
    "values axis": "ConcatV2:concat",
    "values axis?": "Pack:stack",
    "value num axis?": "Unpack:unstack",
    "value num_split axis": "Split:split",
    "value size_splits axis num_split?=num": "SplitV:split",
    "input paddings": "Pad:pad",
    "input paddings constant_values!": "PadV2:pad",
    "input paddings mode": "MirrorPad:pad",
    "input shift axis": "Roll:roll",
    "input begin size": "Slice:slice",
    "input begin end strides begin_mask? end_mask? ellipsis_mask? new_axis_mask?"
    " shrink_axis_mask?": "StridedSlice:strided_slice",
    "input seq_lengths seq_dim batch_dim?=batch_axis": "ReverseSequence:reverse_sequence",
    "input block_shape paddings": "SpaceToBatchND:space_to_batch",
    "input block_shape crops": "BatchToSpaceND:batch_to_space",
    "dims value": "Fill:fill",
    "start limit delta": "Range:range",
    "start stop num": "LinSpace:linspace",
    "input out_type?": "Shape:shape Size:size",
    "indices depth on_value off_value axis?": "OneHot:one_hot",
    "indices dims": "UnravelIndex:unravel_index",
    "params indices validate_indices?-": "Gather:gather",
    "params indices axis! batch_dims?": "GatherV2:gather",
    "params indices bad_indices_policy?-": "GatherNd:gather_nd",
    "indices updates shape bad_indices_policy?-": "ScatterNd:scatter_nd",
    "tensor indices updates bad_indices_policy?-": (
        "TensorScatterAdd:tensor_scatter_nd_add TensorScatterMax:tensor_scatter_nd_max"
        " TensorScatterMin:tensor_scatter_nd_min TensorScatterSub:tensor_scatter_nd_sub"
        " TensorScatterUpdate:tensor_scatter_nd_update"
    ),
    "input indices updates bad_indices_policy?-": ("ScatterNdNonAliasingAdd:tensor_scatter_nd_add"),
    "condition": "Where:where",
    "condition t e": "SelectV2:where",
    "condition x y": "Select:where",
    "input k sorted?": "TopKV2:math.top_k",
    "targets predictions k": "InTopKV2:math.in_top_k",
    "x out_idx?": "Unique:unique UniqueWithCounts:unique_with_counts",
    "data segment_ids": (
        "SegmentMax:math.segment_max SegmentMean:math.segment_mean SegmentMin:math.segment_min"
        " SegmentProd:math.segment_prod SegmentSum:math.segment_sum"
    ),
    "data segment_ids num_segments": (
        "UnsortedSegmentMax:math.unsorted_segment_max UnsortedSegmentMin:math.unsorted_segment_min"
        " UnsortedSegmentProd:math.unsorted_segment_prod"
        " UnsortedSegmentSum:math.unsorted_segment_sum"
    ),
    "data partitions num_partitions": "DynamicPartition:dynamic_partition",
    "indices data": "DynamicStitch:dynamic_stitch",
    "input filter strides padding use_cudnn_on_gpu?- explicit_paddings?- data_format? dilations?": (
        "Conv2D:nn.conv2d"
    ),
    "input filter strides padding explicit_paddings?- data_format? dilations?": (
        "DepthwiseConv2dNative:nn.depthwise_conv2d"
    ),
    "input filter strides padding data_format? dilations?": "Conv3D:nn.conv3d",
    "value ksize strides padding data_format?": "AvgPool:nn.avg_pool2d",
    "input ksize strides padding explicit_paddings?- data_format?": "MaxPool:nn.max_pool2d",
    "input ksize strides padding data_format?": "AvgPool3D:nn.avg_pool3d MaxPool3D:nn.max_pool3d",
    "input block_size data_format?": (
        "DepthToSpace:nn.depth_to_space SpaceToDepth:nn.space_to_depth"
    ),
    "value bias data_format?": "BiasAdd:nn.bias_add",
    "tensor message": "CheckNumerics:debugging.check_numerics",
    "images": "HSVToRGB:image.hsv_to_rgb RGBToHSV:image.rgb_to_hsv",
    "images contrast_factor": "AdjustContrastv2:image.adjust_contrast",
    "images delta": "AdjustHue:image.adjust_hue",
    "images scale": "AdjustSaturation:image.adjust_saturation",
    "input encoding?": "StringLower:strings.lower StringUpper:strings.upper",
    "input unit?": "StringLength:strings.length",
    "inputs separator?": "StringJoin:strings.join",
    "input pos len unit?": "Substr:strings.substr",
}
"""The arguments of each op, and where its public function stands.

They stand in the order in which it takes them; `a!` and `a?` go by keyword, `a?` may be left out,
`a?=b` is called b there, `a?-` means nothing here, and `*a` are all that are left.
"""


@cache
def __getattr__(name: str) -> Any:
    place = _places().get(name)
    if place is None:
        close = get_close_matches(name, _places(), n=1)
        advice = f" The nearest is tf.raw_ops.{close[0]}." if close else ""
        raise AttributeError(f"module 'tf.raw_ops' has no attribute '{name}'.{advice}", name=name)
    return _raw(name, *place)


def __dir__() -> list[str]:
    return sorted(_places())


@cache
def _places() -> dict[str, tuple[str, str]]:
    """The arguments of each op and the place of its public function."""
    places = {}
    for arguments, ops in TABLE.items():
        for each in ops.split():
            name, _, place = each.partition(":")
            places[name] = arguments, place
    return places


def _raw(op: str, arguments: str, place: str) -> Callable[..., Any]:
    wanted = [Argument.read(each) for each in arguments.split()]

    def function(**given: Any) -> Any:
        given.pop("name", None)
        _check(op, wanted, given)
        public, first, rest = _public(place), [], {}
        for each in wanted:
            if each.starred:
                first += list(given[each.name])
            elif each.by_position:
                first.append(given[each.name])
            elif each.name in given and each.public:
                rest[each.public] = given[each.name]
        return public(*first, **rest)

    function.__name__ = function.__qualname__ = op
    function.__doc__ = f"`tf.{place}` under the name and with the arguments that graphs use."
    return function


@dataclass(frozen=True)
class Argument:
    """One argument of an op, and how the public function takes it; without a name it takes none."""

    name: str
    public: str
    by_position: bool
    optional: bool
    starred: bool

    @classmethod
    def read(cls, text: str) -> Argument:
        """Read it as it stands in the table."""
        name, _, renamed = text.lstrip("*").partition("=")
        bare = name.rstrip("?!-")
        public = "" if name.endswith("-") else renamed or bare
        optional = "?" in name
        return cls(bare, public, not optional and "!" not in name, optional, text[0] == "*")


def _check(op: str, wanted: list[Argument], given: dict[str, Any]) -> None:
    lacking = [each.name for each in wanted if not each.optional and each.name not in given]
    unknown = sorted(set(given) - {each.name for each in wanted})
    if lacking:
        raise TypeError(f"tf.raw_ops.{op}() missing required argument: {', '.join(lacking)}")
    if unknown:
        raise TypeError(
            f"tf.raw_ops.{op}() got an unexpected keyword argument {unknown[0]!r}; it takes "
            f"{', '.join(each.name for each in wanted)}."
        )


def _public(place: str) -> Callable[..., Any]:
    symbol: Any = import_module("tapelab")
    for step in place.split("."):
        symbol = getattr(symbol, step)
    function: Callable[..., Any] = symbol
    return function
