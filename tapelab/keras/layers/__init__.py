"""`tf.keras.layers`: the layers of a model."""

from __future__ import annotations

from typing import Final

from tapelab.keras.lazy_names import offered

NAMES: Final = {
    "activation": "Activation ELU LeakyReLU PReLU ReLU Softmax",
    "adaptive_windows": "AdaptiveAveragePooling1D AdaptiveAveragePooling2D"
    " AdaptiveAveragePooling3D AdaptiveMaxPooling1D AdaptiveMaxPooling2D AdaptiveMaxPooling3D",
    "attention": "AdditiveAttention Attention MultiHeadAttention",
    "recurrent_cells": "GRUCell LSTMCell SimpleRNNCell StackedRNNCells",
    "categories": "CategoryEncoding",
    "convolutional": "Conv1D Conv1DTranspose Conv2D Conv2DTranspose Conv3D Conv3DTranspose"
    " Convolution1D Convolution1DTranspose Convolution2D Convolution2DTranspose Convolution3D"
    " Convolution3DTranspose DepthwiseConv1D DepthwiseConv2D SeparableConv1D SeparableConv2D"
    " SeparableConvolution1D SeparableConvolution2D",
    "core": "Identity Input InputLayer Lambda Masking Rescaling",
    "dense": "Dense EinsumDense Embedding",
    "discretization": "Discretization",
    "hash_layers": "HashedCrossing Hashing",
    "grouped_attention": "GroupQueryAttention",
    "image_colors": "AutoContrast Equalization RandomBrightness RandomColorDegeneration"
    " RandomColorJitter RandomContrast RandomGaussianBlur RandomGrayscale RandomHue RandomInvert"
    " RandomPosterization RandomSaturation RandomSharpness Solarization",
    "image_geometry": "RandomCrop RandomFlip RandomRotation RandomShear RandomTranslation"
    " RandomZoom",
    "image_mixtures": "CutMix MixUp RandomErasing",
    "image_sizes": "CenterCrop Resizing",
    "input_spec": "InputSpec",
    "layer": "Layer",
    "merge": "Add Average Concatenate Dot Maximum Minimum Multiply Subtract add average"
    " concatenate dot maximum minimum multiply subtract",
    "noise": "ActivityRegularization AlphaDropout Dropout GaussianDropout GaussianNoise"
    " SpatialDropout1D SpatialDropout2D SpatialDropout3D",
    "normalization": "BatchNormalization GroupNormalization LayerNormalization Normalization"
    " RMSNormalization UnitNormalization",
    "pooling": "AveragePooling1D AveragePooling2D AveragePooling3D AvgPool1D AvgPool2D AvgPool3D"
    " GlobalAveragePooling1D GlobalAveragePooling2D GlobalAvgPool1D GlobalAvgPool2D"
    " GlobalMaxPool1D GlobalMaxPool2D GlobalMaxPooling1D GlobalMaxPooling2D GlobalAveragePooling3D"
    " GlobalAvgPool3D GlobalMaxPool3D GlobalMaxPooling3D MaxPool1D MaxPool2D"
    " MaxPool3D MaxPooling1D MaxPooling2D MaxPooling3D",
    "recurrent": "GRU LSTM RNN SimpleRNN",
    "reshape": "Cropping1D Cropping2D Cropping3D Flatten Permute RepeatVector Reshape UpSampling1D"
    " UpSampling2D UpSampling3D ZeroPadding1D ZeroPadding2D ZeroPadding3D",
    "text_vectorization": "TextVectorization",
    "vocabulary_lookup": "IntegerLookup StringLookup",
    "reversible_table": "ReversibleEmbedding",
    "wrappers": "Bidirectional TimeDistributed Wrapper",
}
"""The layers by the files they stand in."""

__getattr__, __dir__ = offered(__name__, NAMES)
