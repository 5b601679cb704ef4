import numpy as np
import tensorflow as tf

tf.keras.utils.set_random_seed(1)
net = tf.keras.Sequential(
    [
        tf.keras.Input((8, 8, 3)),
        tf.keras.layers.Conv2D(4, 3, padding="same", activation="relu", name="c1"),
        tf.keras.layers.AveragePooling2D(2),
        tf.keras.layers.Conv2D(4, 3, padding="same", activation="relu", name="c2"),
    ]
)
net.trainable = False
extractor = tf.keras.Model(net.inputs, {name: net.get_layer(name).output for name in ["c1", "c2"]})


def gram_matrix(input_tensor):
    result = tf.linalg.einsum("bijc,bijd->bcd", input_tensor, input_tensor)
    input_shape = tf.shape(input_tensor)
    num_locations = tf.cast(input_shape[1] * input_shape[2], tf.float32)
    return result / num_locations


rng = np.random.RandomState(0)
content = tf.constant(rng.rand(1, 8, 8, 3), tf.float32)
style = tf.constant(rng.rand(1, 8, 8, 3), tf.float32)
style_targets = {k: gram_matrix(v) for k, v in extractor(style).items()}
content_target = extractor(content)["c2"]
image = tf.Variable(content)


def clip_0_1(image):
    return tf.clip_by_value(image, clip_value_min=0.0, clip_value_max=1.0)


def high_pass_x_y(image):
    return image[:, :, 1:, :] - image[:, :, :-1, :], image[:, 1:, :, :] - image[:, :-1, :, :]


opt = tf.keras.optimizers.Adam(learning_rate=0.02, beta_1=0.99, epsilon=1e-1)


@tf.function()
def train_step(image):
    with tf.GradientTape() as tape:
        outputs = extractor(image)
        style_loss = tf.add_n(
            [
                tf.reduce_mean((gram_matrix(outputs[name]) - style_targets[name]) ** 2)
                for name in outputs.keys()
            ]
        )
        content_loss = tf.reduce_mean((outputs["c2"] - content_target) ** 2)
        loss = 1e2 * style_loss + content_loss + 0.1 * tf.image.total_variation(image)
    grad = tape.gradient(loss, image)
    opt.apply_gradients([(grad, image)])
    image.assign(clip_0_1(image))
    return loss


for n in range(5):
    print(train_step(image).numpy())
dx, dy = high_pass_x_y(image)
print(
    tf.reduce_mean(tf.abs(dx)).numpy(),
    tf.image.sobel_edges(image).shape,
    image[0, 0, :2].numpy(),
    tf.image.ssim(image, content, 1.0, filter_size=3),
    tf.image.psnr(image, content, 1.0),
)
img = tf.constant(rng.randint(0, 256, size=(4, 6, 3)), tf.uint8)
print(
    tf.image.convert_image_dtype(img, tf.float32)[0, 0],
    tf.image.resize(img, [2, 3])[..., 0],
    tf.image.rgb_to_grayscale(img)[0, :3, 0],
    tf.image.flip_left_right(img)[0, 0],
    tf.image.central_crop(img, 0.5).shape,
    tf.image.rot90(img).shape,
)
print(
    tf.image.adjust_brightness(img, 0.1)[0, 0],
    tf.image.adjust_saturation(img, 2)[0, 0],
    tf.image.adjust_hue(img, 0.2)[0, 0],
    tf.image.per_image_standardization(img)[0, 0],
    tf.image.resize_with_crop_or_pad(img, 3, 3).shape,
    tf.image.stateless_random_flip_left_right(img, seed=(1, 2))[0, 0],
    tf.image.stateless_random_brightness(img, 0.2, seed=(1, 2))[0, 0],
    tf.image.random_crop(img, [2, 2, 3]).shape,
)


def random_jitter(image):
    return tf.image.stateless_random_crop(
        tf.image.resize(image, [6, 6]), size=[4, 4, 3], seed=(1, 2)
    )


print(
    random_jitter(img).shape,
    tf.image.extract_patches(
        tf.cast(img, tf.float32)[None], [1, 2, 2, 1], [1, 2, 2, 1], [1, 1, 1, 1], "VALID"
    ).shape,
)
