import numpy as np
import tensorflow as tf
from tensorflow.keras import layers

tf.keras.utils.set_random_seed(11)


def make_generator_model():
    model = tf.keras.Sequential()
    model.add(layers.Dense(3 * 3 * 4, use_bias=False, input_shape=(5,)))
    model.add(layers.BatchNormalization())
    model.add(layers.LeakyReLU())
    model.add(layers.Reshape((3, 3, 4)))
    assert model.output_shape == (None, 3, 3, 4)
    model.add(layers.Conv2DTranspose(2, (3, 3), strides=(1, 1), padding="same", use_bias=False))
    model.add(layers.BatchNormalization())
    model.add(layers.LeakyReLU())
    model.add(
        layers.Conv2DTranspose(
            1, (3, 3), strides=(2, 2), padding="same", use_bias=False, activation="tanh"
        )
    )
    return model


generator = make_generator_model()
noise = tf.random.stateless_normal([1, 5], seed=[1, 1])
print(generator(noise, training=False)[0, :2, :3, 0])
discriminator = tf.keras.Sequential(
    [
        layers.Input((6, 6, 1)),
        layers.Conv2D(4, 3, strides=2, padding="same"),
        layers.LeakyReLU(),
        layers.Dropout(0.3, seed=5),
        layers.Flatten(),
        layers.Dense(1),
    ]
)
print(discriminator(generator(noise)))
cross_entropy = tf.keras.losses.BinaryCrossentropy(from_logits=True)


def discriminator_loss(real_output, fake_output):
    real_loss = cross_entropy(tf.ones_like(real_output), real_output)
    fake_loss = cross_entropy(tf.zeros_like(fake_output), fake_output)
    return real_loss + fake_loss


def generator_loss(fake_output):
    return cross_entropy(tf.ones_like(fake_output), fake_output)


generator_optimizer, discriminator_optimizer = (
    tf.keras.optimizers.Adam(1e-3),
    tf.keras.optimizers.Adam(1e-3),
)


@tf.function
def train_step(images, noise):
    with tf.GradientTape() as gen_tape, tf.GradientTape() as disc_tape:
        generated_images = generator(noise, training=True)
        real_output = discriminator(images, training=True)
        fake_output = discriminator(generated_images, training=True)
        gen_loss = generator_loss(fake_output)
        disc_loss = discriminator_loss(real_output, fake_output)
    gradients_of_generator = gen_tape.gradient(gen_loss, generator.trainable_variables)
    gradients_of_discriminator = disc_tape.gradient(disc_loss, discriminator.trainable_variables)
    generator_optimizer.apply_gradients(zip(gradients_of_generator, generator.trainable_variables))
    discriminator_optimizer.apply_gradients(
        zip(gradients_of_discriminator, discriminator.trainable_variables)
    )
    return gen_loss, disc_loss


rng = np.random.RandomState(0)
for step in range(4):
    images = tf.constant(rng.rand(4, 6, 6, 1), tf.float32)
    g, d = train_step(images, tf.constant(rng.normal(size=(4, 5)), tf.float32))
    print(step, g.numpy(), d.numpy())
print([w.name for w in generator.weights], generator.layers[1].moving_mean.numpy()[:3])
fgsm = tf.Variable(tf.ones([1, 6, 6, 1]) * 0.5)
with tf.GradientTape() as tape:
    loss = generator_loss(discriminator(fgsm, training=False))
signed = tf.sign(tape.gradient(loss, fgsm))
print(tf.reduce_sum(signed), signed.shape)
