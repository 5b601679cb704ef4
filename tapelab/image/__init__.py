"""`tf.image`: pictures (height, width, channels), or several of them, changed and compared."""

from __future__ import annotations

from tapelab.image import colours, geometry, interpolation, quality, random_changes
from tapelab.namespace.missing_names import in_module

adjust_brightness = colours.adjust_brightness
adjust_contrast = colours.adjust_contrast
adjust_gamma = colours.adjust_gamma
adjust_hue = colours.adjust_hue
adjust_saturation = colours.adjust_saturation
convert_image_dtype = colours.convert_image_dtype
grayscale_to_rgb = colours.grayscale_to_rgb
hsv_to_rgb = colours.hsv_to_rgb
per_image_standardization = colours.per_image_standardization
rgb_to_grayscale = colours.rgb_to_grayscale
rgb_to_hsv = colours.rgb_to_hsv
rgb_to_yiq = colours.rgb_to_yiq
rgb_to_yuv = colours.rgb_to_yuv
yiq_to_rgb = colours.yiq_to_rgb
yuv_to_rgb = colours.yuv_to_rgb
central_crop = geometry.central_crop
crop_to_bounding_box = geometry.crop_to_bounding_box
extract_patches = geometry.extract_patches
flip_left_right = geometry.flip_left_right
flip_up_down = geometry.flip_up_down
pad_to_bounding_box = geometry.pad_to_bounding_box
resize_with_crop_or_pad = geometry.resize_with_crop_or_pad
rot90 = geometry.rot90
transpose = geometry.transpose
ResizeMethod = interpolation.ResizeMethod
resize = interpolation.resize
resize_with_pad = interpolation.resize_with_pad
image_gradients = quality.image_gradients
psnr = quality.psnr
sobel_edges = quality.sobel_edges
ssim = quality.ssim
total_variation = quality.total_variation
random_brightness = random_changes.random_brightness
random_contrast = random_changes.random_contrast
random_crop = random_changes.random_crop
random_flip_left_right = random_changes.random_flip_left_right
random_flip_up_down = random_changes.random_flip_up_down
random_hue = random_changes.random_hue
random_saturation = random_changes.random_saturation
stateless_random_brightness = random_changes.stateless_random_brightness
stateless_random_contrast = random_changes.stateless_random_contrast
stateless_random_crop = random_changes.stateless_random_crop
stateless_random_flip_left_right = random_changes.stateless_random_flip_left_right
stateless_random_flip_up_down = random_changes.stateless_random_flip_up_down
stateless_random_hue = random_changes.stateless_random_hue
stateless_random_saturation = random_changes.stateless_random_saturation

__getattr__, __dir__ = in_module(__name__)
